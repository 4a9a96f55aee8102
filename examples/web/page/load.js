// The only script that stands in the page as it is: it unpacks the other ones and the reader (see page.sh), and runs them.
'use strict';

// The bytes of a text in Z85, see page.sh.
function decode(text) {
  const signs = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?_~>()[]{}@%$#';
  const codes = new Uint8Array(128), begin = text.indexOf(' ') + 1, size = parseInt(text, 10);
  for (let i = 0; i < signs.length; i++)
    codes[signs.charCodeAt(i)] = i;
  const bytes = new DataView(new ArrayBuffer((size + 3) & ~3));
  for (let at = begin, to = 0; to < size; at += 5, to += 4) {
    let word = 0;
    for (let i = 0; i < 5; i++)
      word = word * 85 + codes[text.charCodeAt(at + i)];
    bytes.setUint32(to, word);
  }
  return new Uint8Array(bytes.buffer, 0, size);
}

const unpacked = {}; // workerUrl, and module: a promise

async function unpack() {
  if (!window.DecompressionStream || !window.WebAssembly)
    throw new Error('it needs one of 2023 or later');
  const stream = new Blob([decode(document.getElementById('packed').textContent)]).stream();
  const bytes = new Uint8Array(await new Response(stream.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
  const end = bytes.indexOf(0), reader = bytes.indexOf(0, end + 1);
  const worker = new Blob([bytes.subarray(end + 1, reader)], {type: 'text/javascript'});
  unpacked.workerUrl = URL.createObjectURL(worker);
  unpacked.module = WebAssembly.compile(bytes.subarray(reader));
  unpacked.module.catch(() => {}); // each trace tells why
  const script = document.createElement('script');
  script.textContent = new TextDecoder().decode(bytes.subarray(0, end));
  document.head.append(script);
}

unpack().catch(error => {
  document.getElementById('drop').firstElementChild.textContent =
    `The viewer does not run in this browser: ${error.message}.`;
});
