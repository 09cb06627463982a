module github.com/seedfall/seedfall/sdk/go

go 1.23
