#!/bin/bash
# Workers of the Hotstone run in file:///scratch/go/run
# Whatever else your cluster asks for goes to sbatch, as in `sbatch --partition=long --account=go`.
#SBATCH --job-name=hotstone-worker
#SBATCH --array=0-63
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=4:00:00
# A minute before its time is up it is told to stop, and hands over what is finished.
#SBATCH --signal=TERM@60
# If the node fails or others need it, Slurm starts the job again elsewhere.
#SBATCH --requeue
#SBATCH --output=%x-%A_%a.log
#SBATCH --open-mode=append

srun --cpus-per-task=4 hotstone worker --store file:///scratch/go/run --slot "cpu-$SLURM_ARRAY_TASK_ID"
code=$?

# 0: the run is over or, if this is a worker, another one has its slot. 64, or 2 if the program is not found: it would fail
# again in the same way. After everything else, such as 75 when it was told to stop, it continues later where it stopped.
case $code in
    0 | 2 | 64) exit $code ;;
    *) scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" ;;
esac
