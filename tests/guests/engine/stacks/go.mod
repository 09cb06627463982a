module example.com/stacks

go 1.23
