//! `hotstone doctor`

use anyhow::Result;
use clap::Args;
use models::Libtorch;

/// Show what this machine offers the network, and what to do about each problem.
#[derive(Args)]
pub struct DoctorArguments {}

impl DoctorArguments {
    /// Prints the examination.
    pub fn execute(&self) -> Result<()> {
        let found = models::doctor();
        let yes = |condition: bool| if condition { "yes" } else { "no" };
        println!("device         {} (what auto chooses)", found.device);
        println!("precision      {} (what auto chooses)", found.precision);
        println!("vectors        {}", found.vectors);
        println!("AMX bf16       {}", yes(found.amx_bf16));
        println!("cores          {}", found.threads);
        match &found.libtorch {
            Some(Libtorch { version, path, fuser }) => {
                let path = path.as_ref().map_or("not loaded".into(), |it| it.display().to_string());
                println!("libtorch       {version} from {path}");
                println!("graph fuser    {}", yes(*fuser));
            }
            None => println!("libtorch       none: this program plays, but does not learn"),
        }
        println!("CUDA           {}", found.cuda_problem.unwrap_or("ready"));
        for advice in &found.advice {
            println!("advice: {advice}");
        }
        Ok(())
    }
}
