//! `hotstone doctor`

use anyhow::Result;
use clap::Args;

/// Show what this machine offers the network, and what to do about each problem.
#[derive(Args)]
pub struct DoctorArguments {}

impl DoctorArguments {
    /// Prints the examination.
    pub fn execute(&self) -> Result<()> {
        let found = models::doctor();
        let yes = |condition: bool| if condition { "yes" } else { "no" };
        let libtorch =
            found.libtorch.as_ref().map_or("not loaded".into(), |path| path.display().to_string());
        println!("device         {} (what auto chooses)", found.device);
        println!("precision      {} (what auto chooses)", found.precision);
        println!("libtorch       {} from {libtorch}", found.torch_version);
        println!("AMX bf16       {}", yes(found.amx_bf16));
        println!("graph fuser    {}", yes(found.fuser));
        println!("cores          {}", found.threads);
        println!("CUDA           {}", found.cuda_problem.unwrap_or("ready"));
        for advice in &found.advice {
            println!("advice: {advice}");
        }
        Ok(())
    }
}
