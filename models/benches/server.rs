//! A batch of 64 through the server: encoding, network, priors. `cargo bench -p models`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use engine::{Position, Variant};
use models::{Architecture, Device, Network, Precision, Server, ServerSettings};
use search::Evaluator;

const BATCH: usize = 64;

fn evaluations(criterion: &mut Criterion) {
    let device = Device::choose("auto").expect("a device");
    let precision = Precision::choose("auto", device).expect("an arithmetic");
    let mut group = criterion.benchmark_group("evaluate");
    group.throughput(Throughput::Elements(BATCH as u64)).sample_size(20);
    for (blocks, channels) in [(2, 32), (6, 64), (6, 96)] {
        let network = Network::new(&Architecture { blocks, channels }, 1).expect("a network");
        let settings = ServerSettings { threads: 1, ..ServerSettings::new(device, precision) };
        let server = Server::start(network, settings).expect("a server");
        let rules = Variant::ALL[0].rules(9).expect("a size of every variant");
        let position = Position::new(rules);
        let batch = [&position; BATCH];
        let id = BenchmarkId::from_parameter(format!("{blocks}x{channels}"));
        group.bench_function(id, |bencher| {
            bencher.iter(|| server.client().evaluate(&batch).expect("an answer"));
        });
    }
    group.finish();
}

criterion_group!(server, evaluations);
criterion_main!(server);
