import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import type { LookupFunction } from 'node:net';
import { type DecodedPng, decode, encode, type ImageData } from 'fast-png';
import { lookupOutside } from '../../../src/foreign/privateAddress.ts';
import { operations } from '../../../src/operations/operations.ts';
import { type HttpServer, startHttpServer } from '../../support/httpServer.ts';
import { pngBomb } from '../../support/mediaBytes.ts';
import {
  jpegFile,
  losslessWebpFile,
  transparentWebpFile,
  turnedJpegFile,
  webpFile,
} from '../../support/pictureFiles.ts';
import { assertRefused, jsonOf, post } from '../../support/sandboxClient.ts';
import { useSandbox } from '../../support/useSandbox.ts';

interface ImagesAnswer {
  readonly data: readonly { readonly url?: string; readonly b64_json?: string }[];
}

const { path } = operations.editImage;

/** Stands in for a public name; the server is on this machine. */
const publicName = 'pictures.example';

const lookup: LookupFunction = (name, options, callback) => {
  if (name !== publicName) lookupOutside(name, options, callback);
  else if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

function outsideOrigin({ port }: HttpServer): string {
  return `http://${publicName}:${port}`;
}

describe('sandbox: editImage (promise 19)', () => {
  let now = 1_700_000_000_000;
  const sandbox = useSandbox({
    now: () => now,
    imageSize: 256,
    resultLifetimeMs: 60_000,
    maxJsonBytes: 2_000_000,
    lookup,
  });
  const post1 = async (fields: object) =>
    post(sandbox(), path, { model: 'm', prompt: 'Warmer', output_format: 'b64_json', ...fields });
  const edit = async (fields: object) =>
    jsonOf<ImagesAnswer>(await post1(fields)).data.map(({ b64_json = '' }) => decode(Buffer.from(b64_json, 'base64')));
  const own = async () => {
    const answer = await post(sandbox(), operations.generateImage.path, { model: 'm', prompt: 'A hill' });
    return jsonOf<ImagesAnswer>(answer).data[0]?.url ?? '';
  };

  it('returns the input image, changed by the prompt and the index', async () => {
    const image_urls = [dataUrl(halves(300, 300))];
    const [first, second] = await edit({ image_urls, n: 2 });
    const [again] = await edit({ image_urls });
    const [other] = await edit({ image_urls, prompt: 'Colder' });
    assert(first && second && again && other);
    assert.deepEqual([first.width, first.height, first.text.Software], [256, 256, 'Unified Media sandbox']);
    for (const picture of [first, second, other]) {
      assert(brightness(picture, 0, 0.5) > brightness(picture, 0.5, 1) + 40);
    }
    assert.deepEqual(again.data, first.data);
    assert.notDeepEqual(second.data, first.data);
    assert.notDeepEqual(other.data, first.data);
  });

  it('shows each of several images', async () => {
    const [white, black] = [dataUrl(plain(255)), dataUrl(plain(0))];
    const [picture] = await edit({ image_urls: [white, black] });
    assert(picture);
    assert(brightness(picture, 0, 0.5) > brightness(picture, 0.5, 1) + 40);
    assert.equal((await edit({ image_urls: Array.from({ length: 7 }, () => white) })).length, 1);
  });

  it('reads its own results under either host name, and returns URLs', async () => {
    const url = await own();
    const answer = await post1({ image_urls: [url, url.replace('127.0.0.1', 'localhost')], output_format: 'url' });
    assert(jsonOf<ImagesAnswer>(answer).data[0]?.url?.startsWith(`${sandbox().imageBaseUrl}/results/`));
  });

  const kinds: readonly (readonly [string, ImageData])[] = [
    ['grey', { ...plain(255), channels: 1, data: new Uint8Array(64).fill(255) }],
    ['grey with alpha', { ...plain(255), channels: 2, data: new Uint8Array(128).fill(255) }],
    ['RGBA', { ...plain(255), channels: 4, data: new Uint8Array(256).fill(255) }],
    ['16 bits', { ...plain(255), depth: 16, data: new Uint16Array(192).fill(65_535) }],
    ['wholly transparent', { ...plain(255), channels: 4, data: new Uint8Array(256) }],
  ];
  for (const [name, image] of kinds) {
    it(`reads a PNG of kind ${name}`, async () => {
      const [white] = await edit({ image_urls: [dataUrl(plain(255))] });
      assert.deepEqual((await edit({ image_urls: [dataUrl(image)] }))[0]?.data, white?.data);
    });
  }

  it('reads a PNG with a palette', async () => {
    const [white] = await edit({ image_urls: [dataUrl(plain(255))] });
    const onePixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQMAAAAl21bKAAAAA1BMVEX///+nxBvIAAAACklEQVQI12NgAAAAAgAB4iG8MwAAAABJRU5ErkJggg==';
    const [picture] = await edit({ image_urls: [`data:image/png;base64,${onePixel}`] });
    assert.deepEqual(picture?.data, white?.data);
  });

  const files: readonly (readonly [string, Buffer])[] = [
    ['a JPEG', jpegFile],
    ['a WebP', webpFile],
    ['a lossless WebP', losslessWebpFile],
    ['a WebP with transparency', transparentWebpFile],
  ];
  for (const [name, file] of files) {
    it(`shows the pixels of ${name}`, async () => {
      const [picture] = await edit({ image_urls: [fileUrl(file)] });
      assert(picture && brightness(picture, 0, 0.5) > brightness(picture, 0.5, 1) + 40);
    });
  }

  it('applies the EXIF orientation of a JPEG', async () => {
    const [picture] = await edit({ image_urls: [fileUrl(turnedJpegFile)] });
    assert(picture && brightness(picture, 0.5, 1) > brightness(picture, 0, 0.5) + 40);
  });

  it('fetches an image from any server through at most five redirects', async () => {
    await using server = await startHttpServer((request, response) => {
      const hops = Number(request.url?.slice(1) ?? 0);
      if (hops > 0) response.writeHead(302, { location: `/${hops - 1}` }).end();
      else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(jpegFile);
    });
    const [picture] = await edit({ image_urls: [`${outsideOrigin(server)}/5`] });
    assert(picture && brightness(picture, 0, 0.5) > brightness(picture, 0.5, 1) + 40);
    const answer = await post1({ image_urls: [`${outsideOrigin(server)}/6`] });
    assertRefused(answer, 400, 'image_urls', /redirects more than 5 times/);
  });

  it('reaches no address of this machine or its network (finding 15)', async () => {
    await using server = await startHttpServer((request, response) => {
      if (request.url === '/redirect') response.writeHead(302, { location: `${server.origin}/a.png` }).end();
      else if (request.url === '/named')
        response.writeHead(302, { location: `http://localhost:${server.port}/` }).end();
      else response.end(jpegFile);
    });
    const hosts = [
      '127.0.0.1',
      'localhost',
      '2130706433',
      '0x7f.1',
      '127.9.9.9',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '[fe80::1]',
      '[fc00::1]',
    ];
    for (const url of [
      ...hosts.map((host) => `http://${host}:${server.port}/a.png`),
      `${server.origin.replace('http', 'https')}/a.png`,
      `${outsideOrigin(server)}/redirect`,
      `${outsideOrigin(server)}/named`,
    ]) {
      assertRefused(await post1({ image_urls: [url] }), 400, 'image_urls', /is a private address/);
      const fields = { model: 'm', prompt: 'It moves', image_url: url };
      assertRefused(await post(sandbox(), operations.animateImage.path, fields), 400, 'image_url', /private address/);
    }
    assert.deepEqual(new Set(server.requests.map(({ url }) => url)), new Set(['/redirect', '/named']));
    await edit({ image_urls: [`${outsideOrigin(server)}/a.png`] });
  });

  it('rejects file: URLs', async () => {
    for (const url of ['file:///etc/hosts', 'FILE:///etc/hosts']) {
      assertRefused(await post1({ image_urls: [url] }), 400, 'image_urls', /not a file: URL/);
      const fields = { model: 'm', prompt: 'It moves', image_url: url };
      assertRefused(await post(sandbox(), operations.animateImage.path, fields), 400, 'image_url', /not a file: URL/);
    }
  });

  const bad: readonly (readonly [string, RegExp, RequestListener])[] = [
    ['an error', /status 404/, (_, response) => response.writeHead(404).end()],
    ['a page', /must be a PNG/, (_, response) => response.end('<html>')],
    ['too much', /more than 2000000 bytes/, (_, response) => response.end(Buffer.alloc(3_000_000))],
    ['half of the image', /cannot be downloaded/, (_, response) => response.write('x', () => response.destroy())],
    [
      'a redirect to a file',
      /not http/,
      (_, response) => response.writeHead(301, { location: 'file:///etc/passwd' }).end(),
    ],
  ];
  for (const [name, message, listener] of bad) {
    it(`names image_urls when a server sends ${name}`, async () => {
      await using server = await startHttpServer(listener);
      assertRefused(await post1({ image_urls: [`${outsideOrigin(server)}/a.png`] }), 400, 'image_urls', message);
    });
  }

  it('rejects and names image_urls for unusable images', async () => {
    const expired = await own();
    now += 60_000;
    const huge = Buffer.from(encode(plain(0)));
    huge.writeUInt32BE(10_000, 16);
    huge.writeUInt32BE(10_000, 20);
    const cut = Buffer.from(encode(halves(100, 100))).subarray(0, 80);
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [`http://${publicName}:1/a.png`, /cannot be downloaded: .*ECONNREFUSED/],
      ['http://nowhere.invalid/a.png', /cannot be downloaded/],
      ['http://user:password@127.0.0.1/a.png', /cannot be downloaded/],
      [sandbox().imageBaseUrl.replace('http', 'https'), /cannot be downloaded/],
      [expired, /expired/],
      [`${sandbox().imageBaseUrl}/results/x.png`, /not a result/],
      ['data:image/gif;base64,R0lGODlhAQABAAAAACw=', /must be a PNG, JPEG or WebP/],
      ['data:image/jpeg;base64,/9j/4AAQSkZJRg==', /JPEG that is cut off/],
      [fileUrl(jpegFile.subarray(0, 200)), /JPEG that is cut off/],
      [fileUrl(webpFile.subarray(0, 40)), /WebP that cannot be read/],
      [
        fileUrl(sized(jpegFile, (file) => file.writeUInt32BE(0xffff_ffff, file.indexOf('\xff\xc0', 0, 'latin1') + 5))),
        /more than/,
      ],
      [fileUrl(sized(transparentWebpFile, (file) => file.fill(0xff, 24, 30))), /more than/],
      [fileUrl(sized(losslessWebpFile, (file) => file.fill(0xff, 21, 25))), /more than/],
      [fileUrl(pngBomb()), /PNG that cannot be read/],
      ['data:image/png;base64,iVBOR!!', /base64/],
      [`data:image/png;base64,${huge.toString('base64')}`, /more than 32000000 pixels/],
      [`data:image/png;base64,${cut.toString('base64')}`, /cannot be read/],
      ['ftp://example.com/a.png', /http/],
      [7, /not 7/],
    ];
    for (const [url, message] of wrong) {
      assertRefused(await post1({ image_urls: [url] }), 400, 'image_urls', message);
    }
    const many = Array.from({ length: 17 }, () => dataUrl(plain(0)));
    assertRefused(await post1({ image_urls: many }), 400, 'image_urls', /more than 16/);
    assertRefused(await post1({ image_urls: [] }), 400, 'image_urls');
    assertRefused(await post1({}), 400, 'image_urls');
    assertRefused(await post1({ image_url: dataUrl(plain(0)) }), 400, 'image_url');
  });

  it('counts edits separately', () => {
    assert.equal(sandbox().counts.generateImage, 2);
    assert(sandbox().counts.editImage >= 10);
  });
});

describe('sandbox: edits with slow image servers (promise 19)', () => {
  const sandbox = useSandbox({ imageFetchMs: 300, lookup });
  const slow: readonly (readonly [string, RequestListener])[] = [
    ['nothing', () => undefined],
    ['half of the image', (_, response) => response.write(jpegFile.subarray(0, 99))],
  ];
  for (const [name, listener] of slow) {
    it(`names image_urls when a server sends ${name} in time`, async () => {
      await using server = await startHttpServer(listener);
      const fields = { model: 'm', prompt: 'Warmer', image_urls: [`${outsideOrigin(server)}/a.png`] };
      assertRefused(await post(sandbox(), path, fields), 400, 'image_urls', /was not downloaded within 0\.3 s/);
    });
  }
});

describe('sandbox: edits with the names of this machine (promise 19)', () => {
  const sandbox = useSandbox();

  it('resolves no name to an address of this machine (finding 15)', async () => {
    await using server = await startHttpServer((_, response) => response.end(jpegFile));
    const fields = { model: 'm', prompt: 'Warmer', image_urls: [`http://localhost:${server.port}/a.png`] };
    assertRefused(await post(sandbox(), path, fields), 400, 'image_urls', /localhost is a private address/);
    assert.equal(server.requests.length, 0);
  });
});

function plain(value: number): ImageData {
  return { width: 8, height: 8, channels: 3, depth: 8, data: new Uint8Array(192).fill(value) };
}

/** Returns a picture that is white on the left and black on the right. */
function halves(width: number, height: number): ImageData {
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) =>
    Math.floor(at / 3) % width < width / 2 ? 255 : 0,
  );
  return { width, height, channels: 3, depth: 8, data };
}

function fileUrl(file: Buffer): string {
  return `data:image/x;base64,${file.toString('base64')}`;
}

/** A copy whose header states a different size. */
function sized(file: Buffer, write: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(file);
  write(copy);
  return copy;
}

function dataUrl(image: ImageData): string {
  return `data:image/png;base64,${Buffer.from(encode(image)).toString('base64')}`;
}

/** Mean brightness above the caption, 0 to 255. @param from left edge, as a share of the width */
function brightness({ data, width, height }: DecodedPng, from: number, to: number): number {
  let [sum, count] = [0, 0];
  for (let y = 0; y < 0.68 * height; y++) {
    for (let x = from * width; x < to * width; x++) {
      sum += data[(y * width + x) * 3 + 1] ?? 0;
      count++;
    }
  }
  return sum / count;
}
