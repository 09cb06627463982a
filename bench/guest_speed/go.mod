module example.com/seedfall/bench/guest_speed

go 1.23
