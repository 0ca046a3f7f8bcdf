// Real texts for the benches, out of the sets in ../shared/data/recall: sentences, pairs of sentences and halves of long
// ones, in the same order every time. usage: node texts.mjs FOLDER ROWS QUERIES OUT, which writes OUT.rows and OUT.queries
import { readFileSync, readdirSync, writeFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'

const [folder, rowsWanted, queriesWanted, out] = process.argv.slice(2)

const lines = (set, file) =>
    readFileSync(join(folder, set, file), 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line))
const plain = (text) => text.split(/\s+/).filter((word) => word !== '').join(' ')

// xorshift32: the order must not differ from run to run.
let state = 1
const draw = (n) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % n
}
const shuffle = (list) => {
    for (let i = list.length - 1; i > 0; i--) {
        const j = draw(i + 1)
        const at = list[i]
        list[i] = list[j]
        list[j] = at
    }
    return list
}

const sets = readdirSync(folder).sort().filter((set) => existsSync(join(folder, set, 'corpus.jsonl')))
const sentences = []
const others = []
const queries = []
for (const set of sets) {
    for (const { title, text } of lines(set, 'corpus.jsonl')) {
        const parts = plain(title ? `${title}. ${text}` : text).split(/(?<=[.!?;])\s+/).filter((part) => part.length > 12)
        sentences.push(...parts)
        others.push(...parts.slice(1).map((part, i) => `${parts[i]} ${part}`))
        for (const words of parts.map((part) => part.split(' ')).filter((w) => w.length >= 16)) {
            const half = words.length >> 1
            others.push(words.slice(0, half).join(' '), words.slice(half).join(' '))
        }
    }
    queries.push(...lines(set, 'queries.jsonl').map(({ text }) => plain(text)))
}
const rows = [...new Set([...new Set(sentences), ...shuffle([...new Set(others)])])].slice(0, Number(rowsWanted))
writeFileSync(`${out}.rows`, shuffle(rows).join('\n') + '\n')
writeFileSync(`${out}.queries`, shuffle(queries).slice(0, Number(queriesWanted)).join('\n') + '\n')
