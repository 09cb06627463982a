// Command broken does not compile: the tests look for the compiler's message.
package main

func main() {
	undefinedThing()
}
