// Reads {"schema": …, "values": [...]} from stdin and prints a list with what ajv says of each
// value: "" or the errors. The modules are those of the current folder.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.cwd() + "/");
const Ajv = require("ajv/dist/2020").default;

const { schema, values } = JSON.parse(readFileSync(0, "utf8"));
const ajv = new Ajv({ strict: true, strictRequired: false });
const validate = ajv.compile(schema);
const answers = values.map((value) => (validate(value) ? "" : ajv.errorsText(validate.errors)));
process.stdout.write(JSON.stringify(answers));
