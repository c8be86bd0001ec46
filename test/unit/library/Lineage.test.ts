import assert from 'node:assert/strict';
import { type Lineage, lineageOf, type Video } from '../../../src/library/Lineage.ts';
import { fc } from '../../support/fastCheck.ts';

describe('lineageOf', () => {
  it('puts remixes below their source at any depth, newest first', () => {
    const lineage = lineageOf([video('a'), video('b', 'a'), video('c', 'b'), video('d'), video('e', 'a')]);
    assert.deepEqual(outline(lineage), ['d', 'a', ' e', ' b', '  c']);
  });

  it('puts a video at the top while its source is not in the list', () => {
    assert.deepEqual(outline(lineageOf([video('b', 'a')])), ['b']);
    assert.deepEqual(outline(lineageOf([video('b', 'a'), video('a')])), ['a', ' b']);
  });

  it('separates videos of the sandbox from those of the service', () => {
    const sandbox = video('a');
    const lineage = lineageOf([{ ...sandbox, entry: { ...sandbox.entry, sandbox: true } }, video('b', 'a')]);
    assert.deepEqual(outline(lineage), ['b', 'a']);
  });

  it('finds a source in another folder', () => {
    assert.deepEqual(outline(lineageOf([{ ...video('a'), root: 'file:///other' }, video('b', 'a')])), ['a', ' b']);
  });

  it('lists every video once, whatever cycles the library has', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    fc.assert(
      fc.property(fc.array(fc.tuple(id, fc.option(id, { nil: undefined })), { maxLength: 12 }), (pairs) => {
        const videos = pairs.map(([own, parent]) => video(own, parent));
        assert.deepEqual(
          outline(lineageOf(videos))
            .map((line) => line.trim())
            .sort(),
          pairs.map(([own]) => own).sort(),
        );
      }),
    );
  });

  it('handles a chain of 10,000 remixes', () => {
    const videos = Array.from({ length: 10_000 }, (_, index) =>
      video(String(index), index > 0 ? String(index - 1) : undefined),
    );
    assert.equal(lineageOf(videos.reverse()).size, 10_000);
  });
});

let time = 0;

function video(id: string, parent?: string): Video {
  return {
    root: 'file:///folder',
    entry: {
      id: `job-${time}/${id}.mp4`,
      file: `${id}.mp4`,
      kind: 'videos',
      operation: 'generateVideo',
      model: 'm',
      createdAt: new Date(time++ * 1000).toISOString(),
      jobId: `job-${time}`,
      videoId: id,
      ...(parent === undefined ? {} : { parentVideoId: parent }),
    },
  };
}

function outline(lineage: Lineage, parent?: Video, indent = ''): readonly string[] {
  return (lineage.get(parent) ?? []).flatMap((child) => [
    indent + child.entry.videoId,
    ...outline(lineage, child, `${indent} `),
  ]);
}
