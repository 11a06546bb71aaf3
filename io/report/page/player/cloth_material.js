// Cloth that is lit from the viewer's side, with another tone on its back; or a checker of its UVs; or the
// colours of a heat map, shaded only as much as the shape needs, so that they still match the legend.

import { Color, DoubleSide, ShaderMaterial } from 'three';

export const SURFACE = { shaded: 0, checker: 1, miss: 2, acceleration: 2, strain: 2, apart: 2 };

const VERTEX = /* glsl */ `
attribute vec3 heat;
varying vec3 vNormal;
varying vec2 vUv;
varying vec3 vHeat;
void main() {
  vNormal = normalMatrix * normal;
  vUv = uv;
  vHeat = heat;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Colours are sRGB all the way: what the page's legend shows is what the cloth shows.
const FRAGMENT = /* glsl */ `
uniform vec3 front, back;
uniform int surface;
uniform float checks, opacity;
varying vec3 vNormal;
varying vec2 vUv;
varying vec3 vHeat;
void main() {
  vec3 n = normalize(vNormal) * (gl_FrontFacing ? 1.0 : -1.0);
  float key = 0.5 + 0.5 * dot(n, normalize(vec3(-0.45, 0.65, 0.6)));
  float facing = clamp(n.z, 0.0, 1.0);
  float light = 0.28 + 0.72 * key * key + 0.16 * facing;
  vec3 colour = gl_FrontFacing ? front : back;
  if (surface == 1) {
    vec2 cell = floor(vUv * checks);
    colour = mix(colour * 0.62, mix(colour, vec3(1.0), 0.45), mod(cell.x + cell.y, 2.0));
  } else if (surface == 2) {
    colour = vHeat;
    light = mix(0.86, 1.04, key);
  }
  gl_FragColor = vec4(min(colour * light, 1.0), opacity);
}`;

function srgb(hex) {
  const value = new Color();
  value.setStyle(hex);
  return value.convertLinearToSRGB();
}

// `behind`: how far it stands back where two surfaces coincide, as a keyframe and the cloth that hits it do.
export function clothMaterial({ opacity = 1, behind = 1 } = {}) {
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    side: DoubleSide,
    transparent: opacity < 1,
    depthWrite: opacity === 1,
    polygonOffset: true,
    polygonOffsetFactor: behind,
    polygonOffsetUnits: 4 * behind,
    uniforms: {
      front: { value: new Color() },
      back: { value: new Color() },
      surface: { value: SURFACE.shaded },
      checks: { value: 16 },
      opacity: { value: opacity },
    },
  });
}

export function tint(material, front, back) {
  material.uniforms.front.value.copy(srgb(front));
  material.uniforms.back.value.copy(srgb(back));
}
