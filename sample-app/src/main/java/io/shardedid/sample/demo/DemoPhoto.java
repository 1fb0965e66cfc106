package io.shardedid.sample.demo;

import java.util.List;

/**
 * A photo that the first start publishes.
 *
 * @param author who publishes it
 * @param caption what the author says
 * @param scene what is painted
 * @param colours sky above, sky below, sun or lights, nearest ground; RGB
 */
record DemoPhoto(String author, String caption, Scene scene, int... colours) {

    static final List<DemoPhoto> ALL = List.of(
            new DemoPhoto("Mira", "Two minutes before the fog", Scene.FOREST, 0xdfe7e4, 0xf3e3cf, 0xfff4dc, 0x1f3d3a),
            new DemoPhoto("Jonas", "Night shift, third floor", Scene.CITY, 0x1b2146, 0x5a3d6e, 0xffd27d, 0x0d1126),
            new DemoPhoto("Aiko", "The tide table was right", Scene.SEA, 0xffb88a, 0xffe0b5, 0xfff3d6, 0x1d5c74),
            new DemoPhoto("Tomás", "Up before everyone else", Scene.PEAKS, 0x7fb2e5, 0xf7d9c4, 0xffffff, 0x2c3e5d),
            new DemoPhoto("Ngozi", "Harmattan sky, eleven o'clock", Scene.HILLS, 0xf6c28b, 0xfbe5c0, 0xffffff,
                    0x8c3f26),
            new DemoPhoto("Mira", "It was green for one hour", Scene.AURORA, 0x081229, 0x12324a, 0x5dffb0, 0x050a14),
            new DemoPhoto("Aiko", "Ferry home", Scene.SEA, 0x2b2d6b, 0xe0607e, 0xffc46b, 0x161a45),
            new DemoPhoto("Jonas", "Rooftops, blue hour", Scene.CITY, 0x274b8f, 0xf2a28c, 0xfff0b8, 0x172645),
            new DemoPhoto("Ngozi", "Somebody waved from the red one", Scene.BALLOONS, 0x8fd0f0, 0xfdf1d8, 0xe4572e,
                    0x4f8a5b),
            new DemoPhoto("Tomás", "Snow line moved again", Scene.PEAKS, 0x233b63, 0xe98f7a, 0xfff1e0, 0x14213d),
            new DemoPhoto("Aiko", "Tea fields after rain", Scene.HILLS, 0xbfe3e0, 0xf4f3d7, 0xffffff, 0x1e5b43),
            new DemoPhoto("Mira", "Wood smoke", Scene.FOREST, 0x3a2e55, 0xf0826a, 0xffd9a0, 0x1a1330),
            new DemoPhoto("Ngozi", "Last light, still thirty degrees", Scene.HILLS, 0x5b2a6e, 0xff9a5c, 0xffe08a,
                    0x2a1238),
            new DemoPhoto("Jonas", "Festival of small lights", Scene.BALLOONS, 0x2e3a7a, 0xf6a5b0, 0xffcf5c, 0x26305e));

}
