#!/bin/sh
# Made the recordings beside it, once, with ffmpeg 5.1: a tone of one second in each of the nine formats; mp4 and mpeg have
# a picture as well. Run it in this folder to make them anew.
set -eu
make() {
  file=$1
  channels=$2
  rate=$3
  shift 3
  ffmpeg -nostdin -hide_banner -loglevel error -y -f lavfi -i "sine=frequency=440:duration=1:sample_rate=$rate" \
    "$@" -ac "$channels" -map_metadata -1 -fflags +bitexact -flags:a +bitexact "$file"
}
make flac.flac 1 8000 -c:a flac -metadata_header_padding 0
make mp3.mp3 2 44100 -c:a libmp3lame -b:a 32k
make mpga.mpga 1 22050 -c:a libmp3lame -b:a 16k -write_xing 0 -id3v2_version 0 -f mp3
make m4a.m4a 1 16000 -c:a aac -b:a 16k -f ipod
make mp4.mp4 2 16000 -f lavfi -i 'color=red:size=32x32:rate=5:duration=1' -c:v mpeg4 -c:a aac -b:a 16k -f mp4
make mpeg.mpeg 2 32000 -f lavfi -i 'color=red:size=32x32:rate=25:duration=1' -c:v mpeg1video -c:a mp2 -b:a 32k -f mpeg
make ogg.ogg 1 16000 -c:a libvorbis -q:a 0
make opus.ogg 2 48000 -c:a libopus -b:a 16k
make wav.wav 2 4000 -c:a pcm_u8
make webm.webm 2 48000 -c:a libopus -b:a 16k
