#!/bin/bash
# The learner of the Hotstone run in s3://bucket/run
# Whatever else your cluster asks for goes to sbatch, as in `sbatch --partition=long --account=go`.
#SBATCH --job-name=hotstone-learner
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=12:00:00
# A minute before its time is up it is told to stop, and hands over what is finished.
#SBATCH --signal=TERM@60
# If the node fails or others need it, Slurm starts the job again elsewhere.
#SBATCH --requeue
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append

srun --cpus-per-task=4 /opt/go/hotstone train --store s3://bucket/run --resume
code=$?

# 0: the run is over or, if this is a worker, another one has its slot. 64, or 2 if the program is not found: it would fail
# again in the same way. After everything else, such as 75 when it was told to stop, it continues later where it stopped.
case $code in
    0 | 2 | 64) exit $code ;;
    *) scontrol requeue "$SLURM_JOB_ID" ;;
esac
