#include <stdio.h>
#include <stdlib.h>
#include "jpeglib.h"
#define JPEG_INTERNALS
#include "jpegint.h"

__attribute__((export_name("version"))) int version(void) { return LIBJPEG_TURBO_VERSION_NUMBER; }

__attribute__((export_name("allocate"))) void *allocate(size_t length) { return malloc(length); }

/* Ends the instance, which the caller throws away. */
static void fail(j_common_ptr info) { __builtin_trap(); }

/* A damaged file is shown as far as it can be read. */
static void count(j_common_ptr info, int level) {
  if (level < 0) info->err->num_warnings++;
}

static void ignore(j_common_ptr info) {}

/* Writes RGBA as it is stored, not turned. Traps or returns 0 if the file cannot be read, or has another size than the
   caller has allowed. */
__attribute__((export_name("decode"))) int decode(const unsigned char *file, unsigned long length, unsigned char *pixels,
                                                  unsigned width, unsigned height) {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors = {
      .error_exit = fail, .emit_message = count, .output_message = ignore, .reset_error_mgr = ignore};
  info.err = &errors;
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, file, length);
  jpeg_read_header(&info, TRUE);
  if (info.data_precision != 8 || info.image_width != width || info.image_height != height) return 0;
  info.out_color_space = JCS_EXT_RGBA;
  jpeg_start_decompress(&info);
  while (info.output_scanline < height) {
    JSAMPROW row = pixels + (size_t)info.output_scanline * width * 4;
    jpeg_read_scanlines(&info, &row, 1);
  }
  return 1;
}

/* Samples of 12 bits, which decode() refuses, are left out of the build. */
void j12init_1pass_quantizer(j_decompress_ptr info) { __builtin_trap(); }
void j12init_2pass_quantizer(j_decompress_ptr info) { __builtin_trap(); }
void j12init_merged_upsampler(j_decompress_ptr info) { __builtin_trap(); }
void j12init_color_deconverter(j_decompress_ptr info) { __builtin_trap(); }
void j12init_upsampler(j_decompress_ptr info) { __builtin_trap(); }
void j12init_inverse_dct(j_decompress_ptr info) { __builtin_trap(); }
void j12init_d_post_controller(j_decompress_ptr info, boolean full) { __builtin_trap(); }
void j12init_d_coef_controller(j_decompress_ptr info, boolean full) { __builtin_trap(); }
void j12init_d_main_controller(j_decompress_ptr info, boolean full) { __builtin_trap(); }
