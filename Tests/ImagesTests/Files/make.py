"""Makes the image files of this folder, with Pillow: python3 make.py"""
from PIL import Image

WIDTH, HEIGHT = 37, 23


def pixel(x, y):
    return (x * 7 % 256, y * 11 % 256, x * y % 256, 255 if x < 20 else 128)


image = Image.new("RGBA", (WIDTH, HEIGHT))
image.putdata([pixel(x, y) for y in range(HEIGHT) for x in range(WIDTH)])
rgb = Image.new("RGB", (WIDTH, HEIGHT))
rgb.putdata([pixel(x, y)[:3] for y in range(HEIGHT) for x in range(WIDTH)])

image.save("rgba.png")
rgb.save("rgb.png")
rgb.convert("P", palette=Image.Palette.ADAPTIVE, colors=16).save("palette.png")
Image.new("I;16", (4, 2), 0x8040).save("gray16.png")
rgb.save("baseline.jpg", quality=95, subsampling=0)
rgb.save("progressive.jpg", quality=95, subsampling=0, progressive=True)
rgb.convert("CMYK").save("cmyk.jpg", quality=95)
rgb.save("rgb.bmp")
rgb.convert("P", palette=Image.Palette.ADAPTIVE, colors=16).save("palette.bmp")
image.save("rgba.tiff")
rgb.save("lzw.tiff", compression="tiff_lzw")
image.save("lossless.webp", lossless=True, exact=True)
rgb.save("lossy.webp", quality=90)
rgb.resize((32, 32)).save("png.ico", sizes=[(16, 16), (32, 32)])
rgb.resize((32, 32)).save("bitmap.ico", sizes=[(16, 16), (32, 32)], bitmap_format="bmp")

# Red, then green: only the first frame is an image.
frames = [Image.new("RGB", (8, 6), color) for color in ("#ff0000", "#00ff00")]
frames[0].save("animation.gif", save_all=True, append_images=frames[1:], duration=100)
frames[0].save("animation.webp", save_all=True, append_images=frames[1:], duration=100)
image.convert("RGB").convert("1").save("bitmap.xbm")

# 16 x 8, the left half red, the right half blue, as a camera held in one of eight ways stores it (EXIF orientation).
scene = Image.new("RGB", (16, 8), "#ff0000")
scene.paste("#0000ff", (8, 0, 16, 8))
stored = {
    1: scene,
    3: scene.transpose(Image.Transpose.ROTATE_180),
    6: scene.transpose(Image.Transpose.ROTATE_90),
    8: scene.transpose(Image.Transpose.ROTATE_270),
}
for orientation, pixels in stored.items():
    exif = Image.Exif()
    exif[0x0112] = orientation
    pixels.save(f"orientation{orientation}.jpg", quality=95, subsampling=0, exif=exif)
