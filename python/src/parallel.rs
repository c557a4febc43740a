//! Parallel work on many games.

use std::thread;

/// With fewer items than this per thread, starting a thread costs more than it saves.
const WORTH_A_THREAD: usize = 512;

/// The results of `work` for all items, each given its index, in order.
///
/// Threads live only as long as the call: in a process forked by Python, a pool would be lost, and
/// waiting for it would block forever.
pub fn map<T: Send, R: Send>(
    threads: usize,
    items: Vec<T>,
    work: impl Fn(usize, T) -> R + Sync,
) -> Vec<R> {
    let count = items.len();
    let threads = threads.min(count / WORTH_A_THREAD).max(1);
    let share = count.div_ceil(threads).max(1);
    let (mut items, work) = (items.into_iter().enumerate(), &work);
    let shares: Vec<Vec<(usize, T)>> =
        (0..threads).map(|_| items.by_ref().take(share).collect()).collect();
    let do_share =
        |share: Vec<(usize, T)>| share.into_iter().map(|(place, item)| work(place, item)).collect();
    thread::scope(|scope| {
        let mut shares = shares.into_iter();
        let first = shares.next().unwrap_or_default();
        let others: Vec<thread::ScopedJoinHandle<'_, Vec<R>>> =
            shares.map(|share| scope.spawn(move || do_share(share))).collect();
        let mut results: Vec<R> = do_share(first);
        for other in others {
            match other.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}
