module example.com/wals

go 1.23

require (
	github.com/rosedblabs/wal v1.3.8
	github.com/seedfall/seedfall/sdk/go v0.0.0
	github.com/tidwall/wal v1.2.1
)

require (
	github.com/tidwall/gjson v1.10.2 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.0 // indirect
	github.com/tidwall/tinylru v1.1.0 // indirect
	github.com/valyala/bytebufferpool v1.0.0 // indirect
)

replace github.com/seedfall/seedfall/sdk/go => ../../sdk/go
