import type { CropArea, ImageChange } from './ImageChange.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Part of the source to use, and the size of the result. */
export interface ChangePlan extends Size {
  readonly from: CropArea;
}

/** Plans a change. @returns undefined if the crop area exceeds the source */
export function planChange(source: Size, { crop, width, height }: ImageChange): ChangePlan | undefined {
  const area = crop ?? { x: 0, y: 0, width: source.width, height: source.height };
  if (area.x + area.width > source.width || area.y + area.height > source.height) return undefined;
  if (width !== undefined && height !== undefined) return { from: middleOf(area, width / height), width, height };
  const scale = width !== undefined ? width / area.width : height !== undefined ? height / area.height : 1;
  return {
    from: area,
    width: width ?? Math.max(1, Math.round(area.width * scale)),
    height: height ?? Math.max(1, Math.round(area.height * scale)),
  };
}

/** Returns the largest centered part of an area that has this ratio. */
function middleOf(area: CropArea, ratio: number): CropArea {
  const width = Math.min(area.width, Math.max(1, Math.round(area.height * ratio)));
  const height = Math.min(area.height, Math.max(1, Math.round(area.width / ratio)));
  return {
    x: area.x + Math.floor((area.width - width) / 2),
    y: area.y + Math.floor((area.height - height) / 2),
    width,
    height,
  };
}
