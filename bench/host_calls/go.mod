module github.com/seedfall/seedfall/bench/host_calls

go 1.24
