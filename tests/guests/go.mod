module example.com/guests

go 1.23
