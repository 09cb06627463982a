module example.com/diskqueue

go 1.23

require (
	example.com/diskqueue-1.0.0 v1.0.0
	github.com/nsqio/go-diskqueue v1.1.0
	github.com/seedfall/seedfall/sdk/go v0.0.0
)

// The same module a second time, at its older version, so that one server can run either.
replace example.com/diskqueue-1.0.0 => github.com/nsqio/go-diskqueue v1.0.0

replace github.com/seedfall/seedfall/sdk/go => ../../sdk/go
