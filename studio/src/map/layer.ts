/**
 * The points of the map on WebGL2.
 *
 * x, y [N] Float32 and the codes [N] Uint8 stay on the graphics card; a palette texture turns
 * codes into colours, so another colouring sends N bytes and another palette 1 kB. Large maps
 * are drawn in slices over several frames: every `stride`-th state first, then the others over
 * them, so that no frame is long.
 */

import type { Rectangle, Size } from "./view";

const VERTEX = `#version 300 es
in float x;
in float y;
in float code;
in float chosen;
uniform vec4 view;
uniform float size;
uniform float fade;
uniform sampler2D palette;
out vec4 colour;
void main() {
  vec2 place = (vec2(x, y) - view.xy) * view.zw;
  gl_Position = vec4(place, 0.0, 1.0);
  vec4 plain = texelFetch(palette, ivec2(int(code), 0), 0);
  float kept = mix(1.0, chosen > 0.5 ? 1.0 : 0.12, fade);
  colour = vec4(plain.rgb, plain.a * kept);
  gl_PointSize = plain.a == 0.0 ? 0.0 : size;
  if (plain.a == 0.0 || isnan(x) || isnan(y)) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec4 colour;
uniform float opacity;
uniform float size;
out vec4 shown;
void main() {
  float edge = size < 3.0 ? 1.0 : smoothstep(0.5, 0.5 - 1.0 / size, length(gl_PointCoord - 0.5));
  float alpha = colour.a * opacity * edge;
  shown = vec4(colour.rgb * alpha, alpha);
}`;

/** States of one slice: about 10 ms of a plain graphics card, 100 ms in software. */
const STATES_PER_SLICE = 60_000;
/** WebGL allows strides of at most 255 bytes: 63 numbers of four bytes. */
const LARGEST_STRIDE = 60;

/** Thrown where the browser has no WebGL2; the page then shows the server's picture. */
export class NoWebGl extends Error {}

const ATTRIBUTES = ["x", "y", "code", "chosen"] as const;
export type Attribute = (typeof ATTRIBUTES)[number];
const UNIFORMS = ["view", "size", "opacity", "fade"] as const;
type Uniform = (typeof UNIFORMS)[number];

/** What to draw: a part of the plane on a size in CSS pixels, `ratio` device pixels each. */
export interface Frame {
  view: Rectangle;
  size: Size;
  /** How much larger than all the data. */
  zoomed: number;
  ratio: number;
}

export class Layer {
  private readonly gl: WebGL2RenderingContext;
  private readonly program: WebGLProgram;
  private readonly uniforms: Record<Uniform, WebGLUniformLocation | null>;
  private readonly attributes: Record<Attribute, number>;
  private readonly buffers = new Map<string, WebGLBuffer>();
  private readonly texture: WebGLTexture;
  private states = 0;
  private fade = 0;
  private frame = 0;

  constructor(private readonly canvas: HTMLCanvasElement | OffscreenCanvas) {
    const gl = canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true, alpha: true }) as WebGL2RenderingContext | null;
    if (!gl) throw new NoWebGl();
    this.gl = gl;
    this.program = linked(gl);
    // Asked for once: the answers wait for all that is being drawn.
    this.uniforms = located(UNIFORMS, (name) => gl.getUniformLocation(this.program, name));
    this.attributes = located(ATTRIBUTES, (name) => gl.getAttribLocation(this.program, name));
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    for (const name of ATTRIBUTES) this.buffers.set(name, gl.createBuffer());
  }

  /** Give one of the arrays "x", "y" (Float32 [N]), "code" or "chosen" (Uint8 [N]). */
  set(name: Attribute, values: Float32Array | Uint8Array): void {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.get(name)!);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    if (name === "x") this.states = values.length;
  }

  setPalette(colours: Uint8Array): void {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, colours);
  }

  /** Whether states that are not chosen are shown faintly. */
  setFade(on: boolean): void {
    this.fade = on ? 1 : 0;
  }

  /** Draw anew, slice by slice, from the next frame on; an unfinished drawing is dropped. */
  draw(frame: Frame): void {
    cancelAnimationFrame(this.frame);
    const stride = Math.min(Math.max(Math.ceil(this.states / STATES_PER_SLICE), 1), LARGEST_STRIDE);
    let slice = 0;
    const step = () => {
      if (slice === 0) this.begin(frame);
      this.drawSlice(slice, stride);
      if (++slice < stride) this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  /** Let go of the graphics card's memory. */
  release(): void {
    cancelAnimationFrame(this.frame);
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  private begin({ view, size, zoomed, ratio }: Frame): void {
    const { gl, canvas, uniforms } = this;
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.uniform4f(
      uniforms.view, (view.left + view.right) / 2, (view.bottom + view.top) / 2,
      2 / (view.right - view.left), 2 / (view.top - view.bottom),
    );
    const look = appearance(this.states, size, zoomed);
    gl.uniform1f(uniforms.size, look.size * ratio);
    gl.uniform1f(uniforms.opacity, look.opacity);
    gl.uniform1f(uniforms.fade, this.fade);
  }

  private drawSlice(slice: number, stride: number): void {
    const { gl } = this;
    this.point("x", gl.FLOAT, 4, slice, stride);
    this.point("y", gl.FLOAT, 4, slice, stride);
    this.point("code", gl.UNSIGNED_BYTE, 1, slice, stride);
    if (this.fade) this.point("chosen", gl.UNSIGNED_BYTE, 1, slice, stride);
    else gl.disableVertexAttribArray(this.attributes.chosen);
    const states = Math.floor((this.states - 1 - slice) / stride) + 1;
    if (states > 0) gl.drawArrays(gl.POINTS, 0, states);
  }

  private point(name: Attribute, type: number, bytes: number, slice: number, stride: number): void {
    const { gl } = this;
    const place = this.attributes[name];
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.get(name)!);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 1, type, false, stride * bytes, slice * bytes);
  }
}

/** Points are larger where there are few of them on the screen, and let others shine through. */
export function appearance(states: number, size: Size, zoomed: number): { size: number; opacity: number } {
  const area = (size.width * size.height) / Math.max(states / (zoomed * zoomed), 1);
  const diameter = Math.min(Math.max(1.1 * Math.sqrt(area), 2), 9);
  return { size: diameter, opacity: states > 20_000 && zoomed < 4 ? 0.75 : 0.9 };
}

function located<Name extends string, Place>(names: readonly Name[], locate: (name: Name) => Place): Record<Name, Place> {
  return Object.fromEntries(names.map((name) => [name, locate(name)])) as Record<Name, Place>;
}

function linked(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new NoWebGl();
  return program;
}
