// Whole games through the Controller and state tracker that Sabaki itself uses, with moves by a
// person and by the engine, interrupted analysis, and moves taken back. After each step the
// engine's board must be the one that Sabaki's own rules give.
//
//   node sabaki.js STAND_IN [GAMES]

const {ControllerStateTracker, Controller} = require('@sabaki/gtp')
const GoBoard = require('@sabaki/go-board')

const [program, games = '50'] = process.argv.slice(2)

// The variants with Go's captures: Sabaki's board knows no others.
const VARIANTS = ['go', 'incursion', 'minimal-incursion', 'stoical', 'tile', 'cushion', 'hot-stone']
const LETTERS = 'ABCDEFGHJKLMNOPQRSTUVWXYZ'

// xorshift, so that a failing game can be replayed
function generator(seed) {
  let state = BigInt(seed) * 2654435761n + 88172645463325252n
  return limit => {
    state ^= BigInt.asUintN(64, state << 13n)
    state ^= state >> 7n
    state ^= BigInt.asUintN(64, state << 17n)
    return Number((state >> 11n) % BigInt(limit))
  }
}

function check(condition, message) {
  if (!condition) throw new Error(message)
}

// The points of a vertex as Sabaki counts them, from the top left; null is a pass.
function parseVertex(text, size) {
  if (text.toLowerCase() === 'pass') return [-1, -1]
  const vertex = [LETTERS.indexOf(text[0].toUpperCase()), size - Number(text.slice(1))]
  check(vertex.every(x => x >= 0 && x < size), `'${text}' is no vertex`)
  return vertex
}

// The info segments of a line of analysis, read as Sabaki reads them: keys and values up to the
// variation.
function parseAnalysis(line) {
  return line
    .split(/\s*info\s+/)
    .slice(1)
    .map(segment => {
      const [head, variation = ''] = segment.trim().split(/\s+pv\s+/)
      const words = head.split(/\s+/)
      check(words.length % 2 === 0, `an odd number of words: ${head}`)
      const pairs = {}
      for (let i = 0; i < words.length; i += 2) pairs[words[i]] = words[i + 1]
      return {...pairs, variation: variation.split(/\s+/)}
    })
}

function checkAnalysis(line, style) {
  const moves = parseAnalysis(line)
  check(moves.length > 0, `no moves in: ${line}`)
  moves.forEach((move, index) => {
    const most = style === 'lz' ? 10000 : 1
    check(Number(move.order) === index, `order ${move.order} in place ${index}`)
    check(Number(move.winrate) >= 0 && Number(move.winrate) <= most, `winrate ${move.winrate}`)
    check(Number(move.visits) >= 1, `visits ${move.visits}`)
    check(move.variation[0] === move.move, `${move.move} begins with ${move.variation[0]}`)
  })
}

class Game {
  constructor(variant, size, seed) {
    this.random = generator(seed)
    this.size = size
    this.moves = []
    this.boards = [new GoBoard(Array.from({length: size}, () => Array(size).fill(0)))]
    const args = ['gtp', variant, String(size), '8']
    this.tracker = new ControllerStateTracker(new Controller(program, args))
    this.counts = {turns: 0, undone: 0, analyses: 0}
  }

  get board() {
    return this.boards[this.boards.length - 1]
  }

  get sign() {
    return this.moves.length % 2 === 0 ? 1 : -1
  }

  async ask(name, args = []) {
    const response = await this.tracker.queueCommand({name, args})
    check(!response.error, `${name} ${args.join(' ')}: ${response.content}`)
    return response.content
  }

  // Lets the engine catch up, and compares the boards.
  async sync() {
    const history = this.moves.map((vertex, index) => ({
      name: 'play',
      args: [index % 2 === 0 ? 'B' : 'W', vertex]
    }))
    await this.tracker.sync({komi: 7.5, boardsize: [this.size, this.size], history})
    const rows = (await this.ask('gogui-rules_board')).trim().split('\n')
    const theirs = rows.map(row => row.split(' ').map(c => ({X: 1, O: -1, '.': 0})[c]))
    check(
      JSON.stringify(theirs) === JSON.stringify(this.board.signMap),
      `out of step after ${this.moves.join(' ')}:\n${rows.join('\n')}`
    )
  }

  record(vertex) {
    const place = parseVertex(vertex, this.size)
    const sign = place[0] < 0 ? 0 : this.sign
    this.boards.push(this.board.makeMove(sign, place))
    this.moves.push(vertex)
    this.counts.turns++
  }

  async generate() {
    const color = this.sign > 0 ? 'B' : 'W'
    const kind = this.random(4)
    if (kind < 2) return this.record(await this.ask('genmove', [color]))
    const style = kind === 2 ? 'kata' : 'lz'
    const lines = []
    const command = {name: `${style}-genmove_analyze`, args: [color, '10']}
    const response = await this.tracker.queueCommand(command, ({line}) => lines.push(line))
    check(!response.error, `${command.name}: ${response.content}`)
    check(lines[0] === '= ', `a stream begins with '${lines[0]}'`)
    check(lines[lines.length - 1] === '', 'a stream ends with a blank line')
    lines.filter(line => line.startsWith('info')).forEach(line => checkAnalysis(line, style))
    const played = lines.map(line => line.match(/^play\s+(\S+)$/)).find(match => match)
    check(played, `no move in: ${lines.join('|')}`)
    this.record(played[1])
  }

  async person() {
    const legal = (await this.ask('hotstone-legal')).split(' ')
    this.record(legal[this.random(legal.length)])
  }

  // Sabaki stops an analysis by asking for the protocol's version.
  async analyze() {
    const style = this.random(2) === 0 ? 'kata' : 'lz'
    let first
    const seen = new Promise(resolve => (first = resolve))
    const args = [this.sign > 0 ? 'B' : 'W', '1']
    const done = this.tracker.controller.sendCommand({name: `${style}-analyze`, args}, ({line}) => {
      if (line.startsWith('info')) {
        checkAnalysis(line, style)
        first()
      }
    })
    await seen
    const version = await this.tracker.controller.sendCommand({name: 'protocol_version'})
    check(version.content === '2', `the version is '${version.content}'`)
    check(!(await done).error, 'an analysis that was stopped is no error')
    this.counts.analyses++
  }

  undo() {
    const depth = Math.min(this.moves.length, 1 + this.random(6))
    this.moves.length -= depth
    this.boards.length -= depth
    this.counts.undone += depth
  }

  async play() {
    for (let step = 0; ; step++) {
      check(step < 600, 'the game does not end')
      await this.sync()
      if ((await this.ask('gogui-rules_legal_moves')) === '') break
      if (this.random(10) === 0) await this.analyze()
      if (this.random(14) === 0) this.undo()
      else if (this.random(2) === 0) await this.generate()
      else await this.person()
    }
    check((await this.ask('gogui-rules_final_result')) !== '', 'a result')
    await this.ask('final_score')
    await this.tracker.controller.stop()
  }
}

async function main() {
  for (const variant of VARIANTS) {
    const total = {turns: 0, undone: 0, analyses: 0}
    for (let index = 0; index < Number(games); index++) {
      const game = new Game(variant, 4 + (index % 3), index + 1)
      try {
        await game.play()
      } catch (error) {
        await game.tracker.controller.kill()
        throw new Error(`${variant}, game ${index}: ${error.message}`)
      }
      for (const key in total) total[key] += game.counts[key]
    }
    const {turns, undone, analyses} = total
    console.log(`${variant}: ${games} games, ${turns} turns, ${undone} undone, ${analyses} analyses`)
  }
}

main().catch(error => {
  console.error(error.message)
  process.exitCode = 1
})
