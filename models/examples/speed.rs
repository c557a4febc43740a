//! Prints the speeds of evaluating and learning: `speed [size] [blocks] [channels] [batches] [threads]`.

use std::time::Duration;

use models::{Architecture, Device, Precision, ServerSettings, bench_forward, bench_learner};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |place: usize, default: usize| {
        arguments.get(place).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let size = engine::Size::try_from(number(0, 9))?;
    let architecture = Architecture { blocks: number(1, 6), channels: number(2, 64) };
    let batches = arguments.get(3).map_or("1,16,64,128,256", String::as_str).to_owned();
    let device = Device::choose("auto")?;
    let time = Duration::from_secs(2);
    for precision in [Precision::Bf16, Precision::F32] {
        for batch in batches.split(',').filter_map(|text| text.parse().ok()) {
            let mut settings = ServerSettings::new(device, precision);
            settings.threads = number(4, settings.threads);
            let speed = bench_forward(&architecture, size, batch, settings, time)?;
            println!("{precision} evaluate, batch {batch:>4}: {speed:?}");
        }
        let speed = bench_learner(&architecture, size, 256, (device, precision), time)?;
        println!("{precision} learn, batch 256: {speed:?}");
    }
    Ok(())
}
