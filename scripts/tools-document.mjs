/** Writes docs/tools.md from the tools' schemas and descriptions. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const source = fileURLToPath(new URL("../test/support/rules/tools-document.ts", import.meta.url));
const { toolsDocument } = (await runnerImport(source)).module;
writeFileSync(new URL("../docs/tools.md", import.meta.url), toolsDocument());
