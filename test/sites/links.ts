import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { Parser } from 'htmlparser2';

/** An address in a built page. */
export interface Link {
  /** Path of the page or style sheet in the output. */
  readonly page: string;
  readonly address: string;
  /** Path in the output that it leads to; undefined when the site does not have that address. */
  readonly file: string | undefined;
}

/** A page as a browser has it. */
export interface BuiltPage {
  /** Path in the output. */
  readonly path: string;
  readonly html: string;
}

const addressAttributes = new Set(['src', 'href', 'poster', 'data', 'xlink:href']);
const origin = 'http://site.invalid';

/** Returns the addresses in all pages and style sheets of an output that is served at a base path. */
export function linksIn(output: string, base: string, rendered: readonly BuiltPage[] = []): readonly Link[] {
  const found = (pattern: string) =>
    globSync(pattern, { cwd: output, exclude: (name) => name === 'node_modules' }).map((path) =>
      path.replaceAll(sep, '/'),
    );
  const [pages, styles] = [found('**/*.html'), found('**/*.css')];
  const read = (path: string) => readFileSync(join(output, path), 'utf8');
  return [
    ...pages.flatMap((path) => linksOfPage({ path, html: read(path) }, output, base)),
    ...rendered.flatMap((page) => linksOfPage(page, output, base)),
    ...styles.flatMap((path) =>
      addressesInStyle(read(path)).map((address) => linkTo(address, path, path, output, base)),
    ),
  ];
}

function linksOfPage({ path, html }: BuiltPage, output: string, base: string): readonly Link[] {
  const addresses: string[] = [];
  let start = path.replace(/(^|\/)index\.html$/, '$1');
  let isStyle = false;
  const parser = new Parser({
    onopentag(tag, attributes) {
      isStyle = tag === 'style';
      if (tag === 'base' && attributes.href) start = posix.relative(base, new URL(attributes.href, origin).pathname);
      for (const [name, value] of Object.entries(attributes)) {
        if (addressAttributes.has(name)) addresses.push(value);
        else if (/^(?:image)?srcset$/i.test(name))
          addresses.push(...value.split(/,\s+/).map((one) => one.trim().split(/\s/)[0] ?? ''));
        else if (name === 'content' && /image/.test(attributes.property ?? attributes.name ?? ''))
          addresses.push(value);
        else if (name === 'style') addresses.push(...addressesInStyle(value));
      }
    },
    ontext(text) {
      if (isStyle) addresses.push(...addressesInStyle(text));
    },
    onclosetag() {
      isStyle = false;
    },
  });
  parser.write(html);
  parser.end();
  return addresses.map((address) => linkTo(address, path, start, output, base));
}

function addressesInStyle(text: string): readonly string[] {
  return Array.from(text.matchAll(/url\(\s*(["']?)([^"')]+)\1\s*\)/g), ([, , address = '']) => address);
}

function linkTo(address: string, page: string, start: string, output: string, base: string): Link {
  return { page, address, file: fileAt(address, start, output, base) };
}

/** Returns the path in the output that a server gives for an address on a page. */
function fileAt(address: string, start: string, output: string, base: string): string | undefined {
  if (!URL.canParse(address, origin)) return undefined;
  // At the top of a host, browsers forgive an address that leads above it; elsewhere it is broken.
  const above = /^(?:[a-z][a-z\d+.-]*:|\/)/i.test(address) ? '' : '/above';
  const url = new URL(address, `${origin}${above}${base}${start}`);
  // Next.js makes pictures smaller on the server.
  const original = url.pathname.endsWith('/_next/image') ? url.searchParams.get('url') : null;
  if (original !== null) return fileAt(original, start, output, base);
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    return undefined;
  }
  if (url.origin !== origin || !path.startsWith(above + base)) return undefined;
  const inside = path.slice(above.length + base.length);
  const file = join(output, inside);
  return existsSync(file) && statSync(file).isFile() ? inside : undefined;
}
