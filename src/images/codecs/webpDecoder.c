#include <stdlib.h>
#include "src/webp/decode.h"

__attribute__((export_name("version"))) int version(void) { return WebPGetDecoderVersion(); }

__attribute__((export_name("allocate"))) void *allocate(size_t length) { return malloc(length); }

/* Writes RGBA. Returns 0 if the file is damaged, animated, or of another size than the caller has allowed. */
__attribute__((export_name("decode"))) int decode(const uint8_t *file, size_t length, uint8_t *pixels, int width,
                                                  int height) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(file, length, &features) != VP8_STATUS_OK) return 0;
  if (features.has_animation || features.width != width || features.height != height) return 0;
  return WebPDecodeRGBAInto(file, length, pixels, (size_t)width * height * 4, width * 4) != NULL;
}
