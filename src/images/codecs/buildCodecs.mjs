// `node src/images/codecs/buildCodecs.mjs FOLDER` makes the four .wasm files of this folder from the archives of upstream's
// releases in FOLDER. Debian unstable has the same ones: `apt-get source --download-only libwebp libjpeg-turbo`. It needs four
// packages of Debian 12: clang-14 lld-14 wasi-libc libclang-rt-14-dev-wasm32. The same sources and tools give the same bytes,
// and it fails if they are not those of sources.json; with --write after FOLDER, it writes their hashes there.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** @typedef {{ version: string, date: string, archive: string }} Library its `archive` is a SHA-256 */
/** @typedef {{ library: string, sha256: string }} Codec */
/** @type {{ libraries: Record<string, Library>, codecs: Record<string, Codec> }} */
const sources = JSON.parse(readFileSync(join(import.meta.dirname, 'sources.json'), 'utf8'));

const [folder = '.', option] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'codecs-'));
try {
  const objects = { libwebp: compileWebp(), 'libjpeg-turbo': compileJpeg() };
  for (const [name, codec] of Object.entries(sources.codecs)) {
    const { headers, files } = objects[/** @type {keyof typeof objects} */ (codec.library)];
    const wasm = link(name, [compile(join(import.meta.dirname, `${name}.c`), headers), ...files]);
    const sha256 = hashOf(wasm);
    if (option === '--write') codec.sha256 = sha256;
    else if (codec.sha256 !== sha256) throw new Error(`${name}.wasm has other bytes than sources.json says: ${sha256}`);
  }
} finally {
  rmSync(work, { recursive: true });
}
if (option === '--write')
  writeFileSync(join(import.meta.dirname, 'sources.json'), `${JSON.stringify(sources, undefined, 2)}\n`);

/** @returns {{ headers: string[], files: string[] }} folders of headers, and object files */
function compileWebp() {
  const root = unpack('libwebp');
  const files = globSync(`${root}/{src/{dec,enc,dsp,utils},sharpyuv}/*.c`).sort();
  return { headers: [root], files: files.map((file) => compile(file, [root])) };
}

/**
 * Leaves out arithmetic coding, lossless JPEG, and samples of 12 or 16 bits.
 *
 * @returns {{ headers: string[], files: string[] }} as compileWebp
 */
function compileJpeg() {
  const root = join(unpack('libjpeg-turbo'), 'src');
  configureJpeg(root);
  // Neither programs, nor what other files include, nor the other interface, nor messages to a console.
  const others = /-tj|565|ext|tran|test|stdhuff|lossls|diffct|lhuff|arith|aricom|jerror/;
  const files = globSync(`${root}/j*.c`).filter((file) => !others.test(basename(file)));
  return { headers: [root], files: files.sort().map((file) => compile(file, [root])) };
}

/** Writes the headers that upstream's CMake would write. @param {string} root */
function configureJpeg(root) {
  const cmake = readFileSync(join(root, '../CMakeLists.txt'), 'utf8');
  const [, version = '', major, minor, patch] = /^set\(VERSION ((\d+)\.(\d+)\.(\d+))\)$/m.exec(cmake) ?? [];
  const headers = {
    'jconfig.h': [
      'JPEG_LIB_VERSION 62',
      `LIBJPEG_TURBO_VERSION ${version}`,
      `LIBJPEG_TURBO_VERSION_NUMBER ${Number(major) * 1_000_000 + Number(minor) * 1000 + Number(patch)}`,
      'MEM_SRCDST_SUPPORTED 1',
      'BITS_IN_JSAMPLE 8',
    ],
    'jconfigint.h': [
      'BUILD ""',
      'PACKAGE_NAME "libjpeg-turbo"',
      `VERSION "${version}"`,
      'HIDDEN',
      'INLINE inline',
      'THREAD_LOCAL',
      'SIZEOF_SIZE_T 4',
      'HAVE_BUILTIN_CTZL 1',
      'FALLTHROUGH __attribute__((fallthrough));',
    ],
    'jversion.h': ['JVERSION ""', 'JCOPYRIGHT_SHORT ""'],
  };
  for (const [file, lines] of Object.entries(headers))
    writeFileSync(join(root, file), lines.map((line) => `#define ${line}\n`).join(''));
  const options = readFileSync(join(root, 'jmorecfg.h'), 'utf8');
  writeFileSync(join(root, 'jmorecfg.h'), options.replace(/^#define [CD]_LOSSLESS_SUPPORTED/gm, '//'));
}

/** @param {string} library @returns {string} the folder of its sources */
function unpack(library) {
  const sha256 = sources.libraries[library]?.archive;
  const archive = readdirSync(folder).find((name) => name.includes('.tar.') && hashOf(join(folder, name)) === sha256);
  if (!archive) throw new Error(`${folder} has no archive of ${library} with the hash of sources.json`);
  execFileSync('tar', ['-xf', join(folder, archive), '-C', work]);
  const [root = ''] = globSync(join(work, `${library}-*`));
  return root;
}

/** @param {string} file @param {string[]} headers @returns {string} object file */
function compile(file, headers) {
  const object = join(work, `${file.replace(/\W/g, '_')}.o`);
  const target = ['--target=wasm32-wasi', '-isystem', '/usr/include/wasm32-wasi', '-msimd128'];
  // Nothing of the machine gets into the bytes: no paths, no messages of failed assertions.
  const flags = ['-O2', '-DNDEBUG', '-DNO_GETENV', `-ffile-prefix-map=${work}=.`];
  execFileSync('clang-14', [...target, ...flags, ...headers.flatMap((path) => ['-I', path]), '-c', file, '-o', object]);
  return object;
}

/** @param {string} name @param {string[]} objects @returns {string} path of the WebAssembly */
function link(name, objects) {
  const wasm = join(import.meta.dirname, `${name}.wasm`);
  const libraries = [
    '/usr/lib/wasm32-wasi/libc.a',
    ...globSync('/usr/lib/llvm-14/lib/clang/14*/lib/wasi/libclang_rt.builtins-wasm32.a'),
  ];
  const memory = ['--stack-first', '-z', 'stack-size=1048576', `--max-memory=${2 ** 31}`];
  execFileSync('wasm-ld-14', [
    '--no-entry',
    '--gc-sections',
    '--strip-all',
    ...memory,
    ...objects,
    ...libraries,
    '-o',
    wasm,
  ]);
  return wasm;
}

/** @param {string} file */
function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
