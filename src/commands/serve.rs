//! `hotstone serve`

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use arena::CachedPlayoutEvaluator;
use bot::SupportedRules;
use clap::Args;
use directories::ProjectDirs;
use search::Cached;
use server::{
    Catalogue, ClientLimits, Knowledge, Limits, Model, ServeError, Server, ServerSettings,
    StartError, StorageError,
};

use crate::arguments::ComputeArguments;
use crate::model::OpenModel;
use crate::output::expect_folder;
use crate::released::{self, BEGINNER, UNIVERSAL};

/// The default port.
pub(super) const PORT: u16 = 8019;

/// Number of cached evaluations of each model in each search thread.
const CACHED_EVALUATIONS: usize = 4_096;

/// The name of the player with random playouts.
const PLAYOUTS: &str = "playouts";

/// Serve games over HTTP, with a page to play them in the browser.
#[derive(Args)]
pub struct ServeArguments {
    /// Model folders, run folders (their best checkpoints play), or names of released models. Rule sets that none of them
    /// has learnt are played by random playouts. [default: universal]
    models: Vec<PathBuf>,
    /// The address to listen on; 0.0.0.0 is every address of this machine.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// The port to listen on; 0 for any that is free.
    #[arg(long, default_value_t = PORT)]
    port: u16,
    /// The folder of the games; hotstone in your data folder if left out.
    #[arg(long)]
    data: Option<PathBuf>,
    /// Identify clients by X-Forwarded-For, which a proxy in front of the server must set.
    #[arg(long)]
    behind_proxy: bool,
    /// No limits for each client; the limits of the whole server stay.
    #[arg(long)]
    trust_clients: bool,
    #[command(flatten)]
    compute: ComputeArguments,
}

impl ServeArguments {
    /// Serves until the process is told to end.
    pub fn execute(&self) -> Result<()> {
        expect_folder("--data", self.data.as_deref())?;
        let open = self.open_models()?;
        let mut models: Vec<Model> = open.iter().map(offer).collect::<Result<_>>()?;
        models.push(playouts());
        let beginner = OpenModel::released(&BEGINNER, None, self.compute.settings()?)?;
        let beginner = (BEGINNER.name.to_owned(), beginner);
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
        let catalogue = Catalogue::new(models)?.with_beginner(offer(&beginner)?);
        let server = Server::bind(&settings, catalogue).map_err(advised)?;
        eprintln!("games are kept in {}", settings.data.display());
        println!("http://{}/", server.address());
        server.run()?;
        eprintln!("stopped; all games are saved");
        Ok(())
    }

    /// The models with their names: those of the folders, or the universal one.
    fn open_models(&self) -> Result<Vec<(String, OpenModel)>> {
        let settings = self.compute.settings()?;
        if self.models.is_empty() {
            let model = OpenModel::released(&UNIVERSAL, None, settings)?;
            return Ok(vec![(UNIVERSAL.name.to_owned(), model)]);
        }
        let open = |path: &PathBuf| {
            let model = OpenModel::open(&models::best_model_folder(path)?, None, settings)?;
            Ok((name_of(path)?, model))
        };
        self.models.iter().map(open).collect()
    }
}

/// An error of the server, with advice on what to type.
fn advised(error: ServeError) -> anyhow::Error {
    if let ServeError::Start(StartError::Storage(StorageError::InUse(_))) = &error {
        return anyhow!("{error} with --data");
    }
    if let ServeError::Listen { cause, .. } = &error
        && cause.kind() == ErrorKind::AddrInUse
    {
        return anyhow!(
            "{error}: perhaps by another `hotstone serve`; stop it, or choose another port with --port"
        );
    }
    error.into()
}

/// The displayed name of a model: its own or its folder's.
fn name_of(path: &Path) -> Result<String> {
    if let Some(released) = released::named(path).filter(|_| !path.exists()) {
        return Ok(released.name.to_owned());
    }
    let full = path.canonicalize().with_context(|| format!("cannot find {}", path.display()))?;
    Ok(full.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned())
}

/// The model in the catalogue's form.
fn offer((name, model): &(String, OpenModel)) -> Result<Model> {
    let card = &model.card;
    let learnt = SupportedRules::learnt(&card.rules, &card.sizes, card.scope.clone())
        .with_context(|| format!("{name} has an unusable card"))?;
    let client = model.client();
    let source = move || Cached::new(client.clone(), CACHED_EVALUATIONS);
    let knowledge = Knowledge::Learnt(learnt);
    Ok(Model { name: name.clone(), knowledge, source: Box::new(source) })
}

/// The player for rules that no model has learnt.
fn playouts() -> Model {
    let source = || CachedPlayoutEvaluator::with_capacity(CACHED_EVALUATIONS);
    Model { name: PLAYOUTS.to_owned(), knowledge: Knowledge::AnyRules, source: Box::new(source) }
}

/// The system's folder for a user's application data.
fn data_folder() -> Result<PathBuf> {
    let folders = ProjectDirs::from("", "", "hotstone");
    let folders = folders.context("no home folder: choose a folder for games with --data")?;
    Ok(folders.data_dir().to_owned())
}
