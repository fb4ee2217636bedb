// Requests signed as providers sign them, by code that is not the server's: one JSON line for each case, of the same
// shape as those of sign.py. Where a provider's library only verifies, node signs and the library has to agree before the
// line is printed.
//
//     node --input-type=module - NONCE < sign.mjs        in the directory of node_modules

import { createHmac } from 'node:crypto'
import { sign as signGitHub, verify as verifyGitHub } from '@octokit/webhooks-methods'
import { LinearWebhookClient } from '@linear/sdk/webhooks'
import '@shopify/shopify-api/adapters/node'
import { LogSeverity, shopifyApi } from '@shopify/shopify-api'
import { AwsLambdaReceiver } from '@zoom/rivet/chatbot'
import { Webhook as Svix } from 'svix'

const nonce = process.argv[2]
const now = Math.floor(Date.now() / 1000)
const SECRET = `kP8-a-secret-of-the-tests-${nonce}`
const OTHER = `kP8-another-secret-entirely-${nonce}`
const JSON_TYPE = ['Content-Type', 'application/json']

const hmac = (secret, message, encoding) => createHmac('sha256', secret).update(message).digest(encoding)
const base64 = (text) => Buffer.from(text).toString('base64')
const request = (why, headers, body, more = {}) => ({ why, headers, body: base64(body), ...more })

/** Texts of times that must be refused, each signed as it stands. */
const wrongTimes = [
  ['an old time', `${now - 3600}`],
  ['a time in the future', `${now + 3600}`],
  ['a time with an exponent', '1e9'],
  ['a time with a sign', `+${now}`],
  ['a time with a fraction', `${now}.5`],
  ['a time in the wrong unit', `${now}000`],
  ['a time of no digits', 'now'],
]

/** Prints a case. `sign(body, secret, time)` gives the headers of the signature, `check` is the provider's opinion. */
async function printCase({ name, by, endpoint, sign, check, body, signature, needed, dated, separator, extra = [], event,
  secret = SECRET, other = OTHER, ...more }) {
  const signed = async (why, text, key, time, status) =>
    request(why, [JSON_TYPE, ...extra, ...(await sign(text, key, time))], text, status ? { status } : {})
  if (!(await check(body, Object.fromEntries(await sign(body, secret, `${now}`)), secret))) {
    throw new Error(`${name}: ${by} does not accept what was signed for it`)
  }
  const refused = [await signed('signed with another secret', body, other, `${now}`, 401)]
  if (dated) for (const [why, time] of wrongTimes) refused.push(await signed(why, body, secret, time, 401))
  console.log(JSON.stringify({
    name, by, endpoint: { ...endpoint, secrets: [secret] }, query: null, signature, needed: needed ?? [signature],
    separator: separator ?? null, event, input: JSON.parse(body),
    accepted: await signed('as it should be', body, secret, `${now}`),
    again: dated ? await signed('the same delivery, signed anew', body, secret, `${now - 1}`) : (more.again ?? null),
    also: more.also ?? [], refused: [...refused, ...(more.refused ?? [])], handshakes: more.handshakes ?? [],
  }))
}

async function gitHub() {
  const body = `{ "action":"opened",\n  "number": 1.50, "title":"caf\\u00e9 ☕ ${nonce}" }\n`
  const sign = async (text, secret) => [['X-Hub-Signature-256', await signGitHub(secret, text)]]
  const sha1 = 'sha1=' + createHmac('sha1', SECRET).update(body).digest('hex')
  await printCase({
    name: 'github', by: '@octokit/webhooks-methods (signs and verifies)', endpoint: { provider: 'github' }, sign, body,
    check: (text, headers, secret) => verifyGitHub(secret, text, headers['X-Hub-Signature-256']),
    signature: 'X-Hub-Signature-256', event: 'issues',
    extra: [['X-GitHub-Event', 'issues'], ['X-GitHub-Delivery', nonce]],
    refused: [request('the older signature only', [JSON_TYPE, ['X-Hub-Signature', sha1]], body, { status: 401 })],
  })
}

async function shopify() {
  for (const [name, prefix] of [['shopify', 'X-Shopify-'], ['shopify with the newer names', 'Shopify-']]) {
    const body = `{"id": 82098291194615, "note":"${nonce} \\u00fc", "total_price":"403.00"}`
    const extra = [['Topic', 'orders/create'], ['Shop-Domain', 'sample.myshopify.com'], ['API-Version', '2026-10'],
      ['Webhook-Id', nonce], ['Event-Id', nonce]].map(([tail, value]) => [prefix + tail, value])
    await printCase({
      name, by: '@shopify/shopify-api (verifies)', endpoint: { provider: 'shopify' }, body, extra,
      signature: `${prefix}Hmac-Sha256`, event: 'orders/create',
      sign: (text, secret) => [[`${prefix}Hmac-Sha256`, hmac(secret, text, 'base64')]],
      check: async (text, headers, secret) => {
        const api = shopifyApi({
          apiKey: 'key', apiSecretKey: secret, hostName: 'example.com', apiVersion: '2026-07', isEmbeddedApp: false,
          logger: { level: LogSeverity.Error },
        })
        const rawRequest = { method: 'POST', url: '/', headers: { ...headers, ...Object.fromEntries(extra) } }
        return (await api.webhooks.validate({ rawBody: text, rawRequest })).valid
      },
    })
  }
}

async function linear() {
  const text = (time) =>
    `{"action":"create", "type":"Issue", "data":{"id":"${nonce}","title":"☂"}, "webhookTimestamp":${time}}`
  const sign = (body, secret) => [['Linear-Signature', hmac(secret, body, 'hex')]]
  const extra = [['Linear-Event', 'Issue'], ['Linear-Delivery', nonce]]
  const signed = (why, time, more) =>
    request(why, [JSON_TYPE, ...extra, ...sign(text(time), SECRET)], text(time), more)
  const wrong = [['an old time', `${now - 61}000`], ['a time in the future', `${now + 120}000`],
    ['a time in the wrong unit', `${now}`], ['a time as text', `"${now}000"`], ['no time', 'null']]
  await printCase({
    name: 'linear', by: '@linear/sdk (verifies)', endpoint: { provider: 'linear' }, sign, body: text(`${now}000`), extra,
    check: (body, headers, secret) => new LinearWebhookClient(secret).verify(Buffer.from(body), headers['Linear-Signature']),
    signature: 'Linear-Signature', event: 'Issue',
    again: signed('the same delivery, signed anew', `${now - 1}000`),
    refused: wrong.map(([why, time]) => signed(why, time, { status: 401 })),
  })
}

async function zoom() {
  const body = `{"event":"meeting.started","event_ts":${now}000,"payload":{"object":{"uuid":"${nonce}","topic":"Ω"}}}`
  const sign = (text, secret, time) =>
    [['x-zm-request-timestamp', time], ['x-zm-signature', `v0=${hmac(secret, `v0:${time}:${text}`, 'hex')}`]]
  const ask = async (text, secret) => {
    const receiver = new AwsLambdaReceiver({ webhooksSecretToken: secret })
    return receiver.start()({ body: text, headers: Object.fromEntries(sign(text, secret, `${now}`)) }, {})
  }
  const question = async (token, answer) => {
    const text = JSON.stringify({ event: 'endpoint.url_validation', event_ts: now * 1000, payload: { plainToken: token } })
    const headers = [JSON_TYPE, ...sign(text, SECRET, `${now}`)]
    const expected = answer ?? { status: 200, type: 'application/json', text: (await ask(text, SECRET)).body }
    return request('a proof of the secret', headers, text, expected)
  }
  console.debug = () => {} // The library prints what it gets.
  await printCase({
    name: 'zoom', by: '@zoom/rivet (verifies)', endpoint: { provider: 'zoom' }, sign, body, dated: true,
    check: async (text, _headers, secret) => (await ask(text, secret)).statusCode === 200,
    signature: 'x-zm-signature', needed: ['x-zm-signature', 'x-zm-request-timestamp'], event: 'meeting.started',
    handshakes: [await question('qgg8vlvZRS6UYooatFL8Aw'), await question('v0:1:{}', { status: 400 }),
      await question('a'.repeat(10240), { status: 400 })],
  })
}

async function svix() {
  const secretOf = (text) => 'whsec_' + hmac('a key for the tests', text, 'base64')
  const body = `{"type": "invoice.paid", "data": {"id": "${nonce}", "name": "Ångström"}}`
  const sign = (text, secret, time) => {
    const id = `msg_${nonce}`
    const at = /^\d{10}$/.test(time) ? new Svix(secret).sign(id, new Date(Number(time) * 1000), text) : null
    const own = `v1,${hmac(Buffer.from(secret.slice(6), 'base64'), `${id}.${time}.${text}`, 'base64')}`
    if (at !== null && at !== own) throw new Error('svix signs otherwise')
    return [['svix-id', id], ['svix-timestamp', time], ['svix-signature', own]]
  }
  await printCase({
    name: 'svix', by: 'svix (signs and verifies)', endpoint: { provider: 'svix' }, sign, body, dated: true, separator: ' ',
    check: (text, headers, secret) => new Svix(secret).verify(text, headers) !== null,
    signature: 'svix-signature', needed: ['svix-signature', 'svix-timestamp', 'svix-id'], event: 'invoice.paid',
    secret: secretOf(SECRET), other: secretOf(OTHER),
  })
}

for (const print of [linear, gitHub, shopify, zoom, svix]) await print()
