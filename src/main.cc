// The program `seedfall`.
#include "front/cli/cli.h"

int main(int argc, char** argv) { return sf::front::main(argc, argv); }
