# The counterpart of worker.lua for other libraries. Arguments: mpi4py or gloo, and the largest size
# in bytes. For gloo the variables RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are needed.
import os
import sys
import time

import numpy

library, most = sys.argv[1], int(sys.argv[2])
if library == "mpi4py":
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, barrier = comm.rank, comm.Barrier

    def all_reduce(t):
        comm.Allreduce(MPI.IN_PLACE, t)
else:
    rank_name = "OMPI_COMM_WORLD_RANK"
    os.environ["RANK"] = os.environ.get(rank_name, os.environ.get("RANK", "0"))
    os.environ["WORLD_SIZE"] = os.environ.get("OMPI_COMM_WORLD_SIZE", "1")
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, barrier, all_reduce = dist.get_rank(), dist.barrier, dist.all_reduce

size = 4096
while size <= most:
    t = numpy.zeros(size // 4, dtype=numpy.float32)
    if library == "gloo":
        t = torch.from_numpy(t)
    calls = max(1, min(200, 2**22 // size))
    if library == "gloo":  # its calls take much longer
        calls = max(1, calls // 20)
    best = float("inf")
    for _ in range(max(5, min(50, 2**28 // size))):
        barrier()
        start = time.perf_counter()
        for _ in range(calls):
            all_reduce(t)
        best = min(best, (time.perf_counter() - start) / calls)
    if rank == 0:
        print(size, "%.9f" % best, flush=True)
    size *= 4
