//! `hotstone serve`

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bot::Repertoire;
use bot::server::{Catalogue, ClientLimits, Knowledge, Limits, Model, Server, ServerSettings};
use clap::Args;
use search::Cached;

use crate::model::{ComputeArguments, OpenModel};
use crate::released;

/// Evaluations that each searching thread remembers of each model.
const REMEMBERED_EVALUATIONS: usize = 4_096;

/// Serve games over HTTP, with a page to play them in the browser.
#[derive(Args)]
pub struct ServeArguments {
    /// Model folders, or run folders for their best checkpoints; every released model if none is given.
    models: Vec<PathBuf>,
    /// The address to listen on; 0.0.0.0 is every address of this machine.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// The port to listen on; 0 for any that is free.
    #[arg(long, default_value_t = 8019)]
    port: u16,
    /// The folder of the games; hotstone in your data folder if left out.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Tell clients apart by X-Forwarded-For, which a proxy before the server must set.
    #[arg(long)]
    behind_proxy: bool,
    /// Let each client use as much as it likes; the limits of the whole server stay.
    #[arg(long)]
    trust_clients: bool,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl ServeArguments {
    /// Serves until the process is told to end.
    pub fn execute(&self) -> Result<()> {
        let open = self.open_models()?;
        let models = open.iter().map(|(path, model)| offer(path, model)).collect::<Result<_>>()?;
        let mut limits = Limits::default();
        if self.trust_clients {
            limits.per_client = ClientLimits::NONE;
            limits.connections_per_client = limits.connections;
        }
        let settings = ServerSettings {
            address: SocketAddr::new(self.address, self.port),
            data: self.data.clone().map_or_else(data_folder, Ok)?,
            behind_proxy: self.behind_proxy,
            limits,
        };
        let server = Server::bind(&settings, Catalogue::new(models)?)?;
        eprintln!("games are kept in {}", settings.data.display());
        println!("http://{}/", server.address());
        server.run()?;
        eprintln!("stopped; all games are saved");
        Ok(())
    }

    fn open_models(&self) -> Result<Vec<(PathBuf, OpenModel)>> {
        let paths = if self.models.is_empty() { released::all()? } else { self.models.clone() };
        if paths.is_empty() {
            eprintln!("no model is named and none is released here: people can play each other");
            return Ok(Vec::new());
        }
        let settings = self.compute.settings()?;
        let open = |path: PathBuf| {
            let model = OpenModel::open(&train::best_model_folder(&path)?, None, settings)?;
            Ok((path, model))
        };
        paths.into_iter().map(open).collect()
    }
}

/// The model as people can choose it, by the name of its folder.
fn offer(path: &Path, model: &OpenModel) -> Result<Model> {
    let full = path.canonicalize().with_context(|| format!("cannot find {}", path.display()))?;
    let name = full.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let repertoire = Repertoire::new(&model.card.rules, &model.card.sizes)
        .with_context(|| format!("{} has an unusable card", path.display()))?;
    let client = model.client();
    let source = move || Cached::new(client.clone(), REMEMBERED_EVALUATIONS);
    Ok(Model { name, knowledge: Knowledge::Learnt(repertoire), source: Box::new(source) })
}

/// Where programs keep what is the user's, by the XDG base directories.
fn data_folder() -> Result<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || absolute("HOME").map(|home| home.join(".local/share"));
    let base = absolute("XDG_DATA_HOME").or_else(home);
    Ok(base
        .context("there is no home folder: say with --data where games shall be kept")?
        .join("hotstone"))
}
