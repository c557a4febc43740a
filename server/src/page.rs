//! The page and its files, which are embedded in the program.

use axum::Router;
use axum::http::header;
use axum::routing::get;

/// A file of the page: its address, type and contents.
type File = (&'static str, &'static str, &'static str);

const SCRIPT: &str = "text/javascript; charset=utf-8";

const FILES: [File; 28] = [
    ("/", "text/html; charset=utf-8", include_str!("page/index.html")),
    ("/page/style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    ("/page/icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
    ("/page/main.js", SCRIPT, include_str!("page/main.js")),
    ("/page/begin.js", SCRIPT, include_str!("page/begin.js")),
    ("/page/board.js", SCRIPT, include_str!("page/board.js")),
    ("/page/drawing.js", SCRIPT, include_str!("page/drawing.js")),
    ("/page/graph.js", SCRIPT, include_str!("page/graph.js")),
    ("/page/insight.js", SCRIPT, include_str!("page/insight.js")),
    ("/page/differences.js", SCRIPT, include_str!("page/differences.js")),
    ("/page/laboratory.js", SCRIPT, include_str!("page/laboratory.js")),
    ("/page/landing.js", SCRIPT, include_str!("page/landing.js")),
    ("/page/lesson.js", SCRIPT, include_str!("page/lesson.js")),
    ("/page/opening.js", SCRIPT, include_str!("page/opening.js")),
    ("/page/server.js", SCRIPT, include_str!("page/server.js")),
    ("/page/transport.js", SCRIPT, include_str!("page/transport.js")),
    ("/page/choice.js", SCRIPT, include_str!("page/choice.js")),
    ("/page/preferences.js", SCRIPT, include_str!("page/preferences.js")),
    ("/page/elements.js", SCRIPT, include_str!("page/elements.js")),
    ("/page/legend.js", SCRIPT, include_str!("page/legend.js")),
    ("/page/marks.js", SCRIPT, include_str!("page/marks.js")),
    ("/page/puzzle.js", SCRIPT, include_str!("page/puzzle.js")),
    ("/page/review.js", SCRIPT, include_str!("page/review.js")),
    ("/page/steps.js", SCRIPT, include_str!("page/steps.js")),
    ("/page/rules.js", SCRIPT, include_str!("page/rules.js")),
    ("/page/size.js", SCRIPT, include_str!("page/size.js")),
    ("/page/seats.js", SCRIPT, include_str!("page/seats.js")),
    ("/page/words.js", SCRIPT, include_str!("page/words.js")),
];

/// The routes of the page. No URL reaches the file system.
pub(crate) fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    FILES.into_iter().fold(Router::new(), |router, (address, kind, text)| {
        let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-cache")];
        router.route(address, get(move || async move { (headers, text) }))
    })
}
