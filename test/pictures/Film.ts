import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Draws a mouse pointer, which screenshots do not contain. As text: tests have no types of the browser. */
const drawPointer = `(() => {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  svg.id = 'film-pointer';
  svg.setAttribute('width', '26');
  svg.setAttribute('height', '26');
  svg.setAttribute('viewBox', '0 0 26 26');
  Object.assign(svg.style, { position: 'fixed', zIndex: '2147483647', pointerEvents: 'none' });
  const arrow = document.createElementNS(namespace, 'path');
  arrow.setAttribute('d', 'M2 1v20l5-5 4 8 4-2-4-8h7z');
  arrow.setAttribute('fill', '#fff');
  arrow.setAttribute('stroke', '#111');
  arrow.setAttribute('stroke-width', '1.5');
  svg.append(arrow);
  document.body.append(svg);
})()`;

/** Records screenshots of a page with the time that each is shown, and writes them as an animated WebP. */
export class Film {
  readonly #page: Page;
  readonly #frames: { readonly png: Buffer; readonly seconds: number }[] = [];
  #pointer: Point;

  private constructor(page: Page, start: Point) {
    this.#page = page;
    this.#pointer = start;
  }

  static async start(page: Page, pointer: Point): Promise<Film> {
    await page.evaluate(drawPointer);
    const film = new Film(page, pointer);
    await film.#place(pointer);
    return film;
  }

  /** Shows the page as it is now for so long. */
  async hold(seconds: number): Promise<void> {
    this.#frames.push({ png: await this.#page.screenshot(), seconds });
  }

  /** Types a text, a few letters a frame. */
  async type(text: string): Promise<void> {
    for (const letters of text.match(/.{1,3}/g) ?? []) {
      await this.#page.keyboard.insertText(letters);
      await this.hold(0.09);
    }
  }

  /** Moves the mouse to the middle of a control and clicks it. */
  async click(target: Locator): Promise<void> {
    const box = await target.boundingBox();
    if (!box) throw new Error(`${target} is not visible.`);
    const [from, to] = [this.#pointer, { x: box.x + box.width / 2, y: box.y + box.height / 2 }];
    for (const part of [0.2, 0.5, 0.8, 0.95, 1]) {
      await this.#place({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });
      await this.hold(0.06);
    }
    await this.hold(0.35);
    await this.#page.mouse.down();
    await this.#page.mouse.up();
  }

  /** Writes the film, `width` pixels wide; returns its length in seconds. */
  write(file: string, width: number): number {
    const folder = mkdtempSync(join(tmpdir(), 'unified-media-film-'));
    try {
      const lines = this.#frames.map(({ png, seconds }, index) => {
        writeFileSync(join(folder, `${index}.png`), png);
        return `file '${index}.png'\nduration ${seconds}`;
      });
      // The concat demuxer ignores the duration of the last entry, so the last frame is listed twice.
      const list = ['ffconcat version 1.0', ...lines, `file '${this.#frames.length - 1}.png'`].join('\n');
      writeFileSync(join(folder, 'frames.txt'), list);
      const scaled = ['-vf', `scale=${width}:-2:flags=lanczos`, '-fps_mode', 'vfr'];
      const webp = ['-c:v', 'libwebp_anim', '-loop', '0', '-quality', '90', '-compression_level', '6'];
      execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', join(folder, 'frames.txt'), ...scaled, ...webp, file]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return this.#frames.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  async #place(point: Point): Promise<void> {
    this.#pointer = point;
    await this.#page.mouse.move(point.x, point.y);
    await this.#page.evaluate(
      `Object.assign(document.getElementById('film-pointer').style, { left: '${point.x}px', top: '${point.y}px' })`,
    );
  }
}
