// Runs a program that was compiled for WebAssembly with WASI, in this folder.  usage: node wasi.mjs PROGRAM ARGUMENT...
import {readFileSync} from 'node:fs';
import {WASI} from 'node:wasi';

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({version: 'preview1', args: [program, ...rest], preopens: {'.': '.'}});
const instance = await WebAssembly.instantiate(new WebAssembly.Module(readFileSync(program)), wasi.getImportObject());
process.exit(wasi.start(instance));
