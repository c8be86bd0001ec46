#include <stdlib.h>
#include "src/webp/encode.h"

static WebPMemoryWriter writer;

__attribute__((export_name("version"))) int version(void) { return WebPGetEncoderVersion(); }

__attribute__((export_name("allocate"))) void *allocate(size_t length) { return malloc(length); }

/* Encodes RGBA, lossy with lossless transparency. Returns the number of bytes that start at encoded(), or 0. */
__attribute__((export_name("encode"))) size_t encode(const uint8_t *pixels, int width, int height, int quality) {
  WebPConfig config;
  WebPPicture picture;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&picture)) return 0;
  config.quality = quality;
  picture.width = width;
  picture.height = height;
  WebPMemoryWriterInit(&writer);
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  if (!WebPPictureImportRGBA(&picture, pixels, width * 4) || !WebPEncode(&config, &picture)) return 0;
  return writer.size;
}

__attribute__((export_name("encoded"))) const uint8_t *encoded(void) { return writer.mem; }
