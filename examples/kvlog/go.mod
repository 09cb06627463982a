module example.com/kvlog

go 1.23

require github.com/seedfall/seedfall/sdk/go v0.0.0

replace github.com/seedfall/seedfall/sdk/go => ../../sdk/go
