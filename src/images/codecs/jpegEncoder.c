#include <stdio.h>
#include <stdlib.h>
#include "jpeglib.h"
#define JPEG_INTERNALS
#include "jpegint.h"

static unsigned char *file;

__attribute__((export_name("version"))) int version(void) { return LIBJPEG_TURBO_VERSION_NUMBER; }

__attribute__((export_name("allocate"))) void *allocate(size_t length) { return malloc(length); }

/* Ends the instance, which the caller throws away. */
static void fail(j_common_ptr info) { __builtin_trap(); }

static void ignore(j_common_ptr info) {}

static void ignore_level(j_common_ptr info, int level) {}

/* Encodes RGBA without its transparency, progressive. Colours have full resolution from quality 90, half of it across
   from 80, and half of it both ways below. Returns the number of bytes that start at encoded(), or traps. */
__attribute__((export_name("encode"))) size_t encode(const unsigned char *pixels, unsigned width, unsigned height,
                                                     int quality) {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors = {
      .error_exit = fail, .emit_message = ignore_level, .output_message = ignore, .reset_error_mgr = ignore};
  unsigned long size = 0;
  info.err = &errors;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &file, &size);
  info.image_width = width;
  info.image_height = height;
  info.input_components = 4;
  info.in_color_space = JCS_EXT_RGBA;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  info.comp_info[0].h_samp_factor = quality < 90 ? 2 : 1;
  info.comp_info[0].v_samp_factor = quality < 80 ? 2 : 1;
  info.optimize_coding = TRUE;
  jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < height) {
    JSAMPROW row = (JSAMPROW)pixels + (size_t)info.next_scanline * width * 4;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return size;
}

__attribute__((export_name("encoded"))) const unsigned char *encoded(void) { return file; }

/* Samples of 12 bits are left out of the build. */
void j12init_color_converter(j_compress_ptr info) { __builtin_trap(); }
void j12init_downsampler(j_compress_ptr info) { __builtin_trap(); }
void j12init_forward_dct(j_compress_ptr info) { __builtin_trap(); }
void j12init_c_prep_controller(j_compress_ptr info, boolean full) { __builtin_trap(); }
void j12init_c_coef_controller(j_compress_ptr info, boolean full) { __builtin_trap(); }
void j12init_c_main_controller(j_compress_ptr info, boolean full) { __builtin_trap(); }
