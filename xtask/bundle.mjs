// Prints a style sheet and all that it imports as one: node bundle.mjs SHEET

import { bundle } from "lightningcss";

// The oldest browsers that show the pages as they are meant: the first with light-dark().
const version = (major, minor = 0) => (major << 16) | (minor << 8);
const targets = {
  chrome: version(123),
  edge: version(123),
  firefox: version(120),
  safari: version(17, 5),
  ios_saf: version(17, 5),
};

const filename = process.argv[2];
try {
  process.stdout.write(bundle({ filename, minify: true, targets }).code);
} catch (error) {
  const place = error.loc ? `:${error.loc.line}:${error.loc.column}` : "";
  console.error(`${error.fileName ?? filename}${place}: ${error.message}`);
  process.exitCode = 1;
}
