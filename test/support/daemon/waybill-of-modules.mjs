/** Like `bin/waybill`, but with one file for each module. */
import { main } from "../../../build/cli/main.js";

process.exitCode = await main(process.argv.slice(2));
