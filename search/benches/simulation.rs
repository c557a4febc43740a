//! One search of 32 simulations without a network: `cargo bench -p search`.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use engine::{Position, Variant};
use search::evaluators::Scripted;
use search::{Search, Settings};

const SIZE: u8 = 9;

fn simulations(criterion: &mut Criterion) {
    let settings = Settings::default();
    let mut group = criterion.benchmark_group("simulation");
    group.throughput(Throughput::Elements(settings.simulations.into()));
    for variant in Variant::ALL {
        let root = Position::new(variant.rules(SIZE).expect("a size of every variant"));
        let id = BenchmarkId::from_parameter(variant.name());
        group.bench_with_input(id, &root, |bencher, root| {
            let fresh = || [Search::new(root.clone(), settings, 1)];
            let search = |mut searches: [Search; 1]| {
                search::run(&mut searches, &mut Scripted::default()).expect("it never fails");
                searches
            };
            bencher.iter_batched(fresh, search, BatchSize::SmallInput);
        });
    }
    group.finish();
}

criterion_group!(search_benches, simulations);
criterion_main!(search_benches);
