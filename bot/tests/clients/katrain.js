// A client that asks as KaTrain does and reads the answers as KaTrain does: one game walked through move by move, with
// reports during the search and queries that are terminated, and then thousands of queries at once with malformed ones
// among them. Each must be answered once and for all, with the analysis of its own position.
//
//   node katrain.js STAND_IN [QUERIES]

const {spawn} = require('child_process')
const readline = require('readline')

const [program, queries = '10000'] = process.argv.slice(2)
const SIZE = 7

function check(condition, message) {
  if (!condition) throw new Error(message)
}

class Engine {
  constructor(variant, visits) {
    this.process = spawn(program, ['analysis', variant, String(SIZE), String(visits)])
    this.process.stderr.on('data', data => process.stderr.write(data))
    this.pending = new Map()
    this.counter = 0
    this.unnamed = 0
    this.warnings = 0
    this.closed = new Promise(resolve => this.process.on('close', resolve))
    readline.createInterface({input: this.process.stdout}).on('line', line => this.receive(line))
  }

  send(object) {
    this.process.stdin.write((typeof object === 'string' ? object : JSON.stringify(object)) + '\n')
  }

  // As KaTrain's request_analysis puts a query together. Resolves with all of its answers, the last one last.
  analyze(moves, extra = {}) {
    const id = `QUERY:${++this.counter}`
    const query = {
      id,
      rules: 'japanese',
      priority: 0,
      analyzeTurns: [moves.length],
      maxVisits: 20,
      komi: 6.5,
      boardXSize: SIZE,
      boardYSize: SIZE,
      includeOwnership: true,
      includeMovesOwnership: false,
      includePolicy: true,
      initialStones: [],
      initialPlayer: 'B',
      moves,
      overrideSettings: {reportAnalysisWinratesAs: 'BLACK', wideRootNoise: 0.04, maxTime: 8},
      ...extra
    }
    const answers = new Promise(resolve => this.pending.set(id, {query, resolve, partial: []}))
    this.send(query)
    return Object.assign(answers, {id})
  }

  // As KaTrain's thread that reads the engine's output does.
  receive(line) {
    const analysis = JSON.parse(line)
    if (!('id' in analysis)) {
      check('error' in analysis, `neither a query nor an error: ${line}`)
      this.unnamed++
      return
    }
    if ('warning' in analysis) {
      this.warnings++
      return
    }
    if ('terminateId' in analysis) return
    const entry = this.pending.get(analysis.id)
    check(entry, `${analysis.id} is not waited for`)
    if ('error' in analysis || !analysis.isDuringSearch) {
      this.pending.delete(analysis.id)
      entry.resolve([...entry.partial, analysis])
    } else {
      entry.partial.push(analysis)
    }
  }

  async close() {
    this.process.stdin.end()
    await this.closed
    check(this.pending.size === 0, `${this.pending.size} queries were lost`)
  }
}

// What KaTrain looks at in an answer, and that it belongs to its query.
function read(analysis, query) {
  const {rootInfo, moveInfos, ownership, policy, variant} = analysis
  check(rootInfo.visits >= 1, 'visits')
  check(rootInfo.winrate >= 0 && rootInfo.winrate <= 1, 'winrate')
  check(analysis.turnNumber === query.analyzeTurns[0], 'the turn')
  check(ownership === undefined || ownership.length === SIZE * SIZE, 'ownership')
  check(policy === undefined || policy.length === SIZE * SIZE + 1, 'policy')
  for (const info of moveInfos) {
    check(info.visits >= 1 && info.pv[0] === info.move, `move ${info.move}`)
    check(variant.legal.includes(info.move), `${info.move} is not legal there`)
  }
  for (const key of ['stones', 'prisoners', 'legal', 'illegal']) check(key in variant, key)
  check(rootInfo.currentPlayer === variant.to_move, 'the player to move')
  return moveInfos.find(info => info.order === 0)
}

// A stone of the query's own colour must stand on each of its last moves that was not captured: a mixed-up answer
// would show another game.
function checkPosition(analysis, query) {
  const played = query.moves.slice(0, query.analyzeTurns[0]).filter(([, vertex]) => vertex !== 'pass')
  if (played.length === 0) {
    check(analysis.variant.stones.every(row => /^\.*$/.test(row)), 'an empty board')
    return
  }
  const [color, vertex] = played[played.length - 1]
  const column = 'ABCDEFGHJ'.indexOf(vertex[0])
  const row = analysis.variant.stones[SIZE - Number(vertex.slice(1))]
  check(row[column] === (color === 'B' ? 'X' : 'O'), `${analysis.id}: ${vertex} is not ${color}'s`)
}

async function walk(variant) {
  const engine = new Engine(variant, 50)
  const moves = []
  for (let turn = 0; turn < 30; turn++) {
    const asked = engine.analyze([...moves], {reportDuringSearchEvery: 0.05, maxVisits: 200})
    const answers = await asked
    const last = answers[answers.length - 1]
    check(!last.error, last.error)
    const query = {analyzeTurns: [moves.length], moves}
    const best = read(last, query)
    checkPosition(last, query)
    if (!best) break
    moves.push([turn % 2 === 0 ? 'B' : 'W', best.move.replace('*', '')])
    // KaTrain asks for more of a position that is looked at, and stops when one looks elsewhere.
    if (turn % 7 === 3) {
      const long = engine.analyze([...moves], {maxVisits: 100000000, priority: -100})
      setTimeout(() => engine.send({id: 'TERM', action: 'terminate', terminateId: long.id}), 100)
      const found = await long
      check(!found[found.length - 1].isDuringSearch, 'a terminated query ends')
    }
  }
  await engine.close()
  check(engine.warnings > 0, "a warning that the rules are not 'japanese'")
  console.log(`${variant}: a game of ${moves.length} moves`)
}

async function flood(variant, count) {
  const engine = new Engine(variant, 2)
  const expected = []
  let malformed = 0
  for (let index = 0; index < count; index++) {
    const moves = []
    const free = []
    for (let place = 0; place < SIZE * SIZE; place += 2) free.push(place)
    for (let turn = 0; turn < index % 9; turn++) {
      const [place] = free.splice((index * 7 + turn * 13) % free.length, 1)
      const vertex = 'ABCDEFGHJ'[place % SIZE] + (1 + Math.floor(place / SIZE))
      moves.push([turn % 2 === 0 ? 'B' : 'W', vertex])
    }
    const extra = {rules: variant, maxVisits: 1 + (index % 5), includeOwnership: index % 50 === 0}
    if (index % 10 === 3) {
      engine.send(['{"id":', 'play B D4', '[]', '{}', '{"id":7}'][index % 5])
      malformed++
    }
    if (index % 10 === 7) extra.moves = [['B', 'Z99']]
    if (index % 1000 === 500) engine.send({id: 'V', action: 'terminate', terminateId: 'nobody'})
    expected.push({wrong: index % 10 === 7, moves, answers: engine.analyze(moves, extra)})
  }
  for (const {wrong, moves, answers} of expected) {
    const [answer] = await answers
    check(wrong === 'error' in answer, `${answer.id}: ${JSON.stringify(answer).slice(0, 200)}`)
    if (!wrong) {
      const query = {analyzeTurns: [moves.length], moves}
      read(answer, query)
      checkPosition(answer, query)
    }
  }
  await engine.close()
  check(engine.unnamed === malformed, `${engine.unnamed} errors for ${malformed} malformed lines`)
  console.log(`${variant}: ${count} queries and ${malformed} malformed lines, each answered once`)
}

async function main() {
  for (const variant of ['go', 'incursion', 'tile', 'hot-stone', 'alter-igo', 'conquest']) await walk(variant)
  await flood('go', Number(queries))
}

main().catch(error => {
  console.error(error.stack)
  process.exit(1)
})
