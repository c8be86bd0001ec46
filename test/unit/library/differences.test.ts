import assert from 'node:assert/strict';
import { differencesOf, expectationsOf } from '../../../src/library/differences.ts';

describe('a size fits a ratio', () => {
  /** Sizes by the ratio that was asked for: those in which models answer, and others. */
  const sizes: Readonly<Record<string, { readonly fit: readonly string[]; readonly differ: readonly string[] }>> = {
    '1:1': { fit: ['1024x1024', '1024x1056'], differ: ['1024x1057', '1152x896', '64x80'] },
    '16:9': { fit: ['1344x768', '1536x864', '1820x1024', '512x320'], differ: ['1216x832', '1024x1024', '64x64'] },
    '9:16': { fit: ['768x1344', '720x1280'], differ: ['832x1216', '1344x768'] },
    '3:2': { fit: ['1216x832', '1536x1024'], differ: ['1152x896', '1344x768'] },
    '3:4': { fit: ['896x1152', '768x1024'], differ: ['832x1216'] },
    '21:9': { fit: ['1536x640'], differ: ['1344x768'] },
  };
  for (const [ratio, { fit, differ }] of Object.entries(sizes)) {
    const told = (size: string) => {
      const [width = 0, height = 0] = size.split('x').map(Number);
      const asked = expectationsOf('images', { aspect_ratio: ratio });
      return differencesOf(asked, { mediaType: 'image/png', size: { width, height } })?.map(({ got }) => got);
    };
    it(`${ratio}, if one side is within 32 pixels of what the ratio asks`, () => {
      assert.deepEqual(
        fit.map(told),
        fit.map(() => undefined),
      );
      assert.deepEqual(
        differ.map(told),
        differ.map((size) => [size]),
      );
    });
  }
});
