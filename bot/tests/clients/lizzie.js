// The lines that LizzieYzy 2.5.3 sends, in its order, and its way of reading the answers,
// reimplemented: it is a Java program with windows and not a package, so this is not LizzieYzy
// itself. It asks only engines whose names begin with Kata for scores.
//
//   node lizzie.js PROGRAM

const {spawn} = require('child_process')
const readline = require('readline')

const [program] = process.argv.slice(2)
const SIZE = 7

function check(condition, message) {
  if (!condition) throw new Error(message)
}

// One move: keys and values up to the variation, which ends before pvVisits.
function parseMove(text) {
  const words = text.trim().split(' ')
  const move = {}
  for (let at = 0; at < words.length - 1; at++) {
    if (words[at] === 'pv') {
      const visits = words.indexOf('pvVisits')
      move.variation = words.slice(at + 1, visits < 0 ? undefined : visits)
      move.pvVisits = visits < 0 ? [] : words.slice(visits + 1)
      break
    }
    move[words[at]] = words[++at]
  }
  return move
}

function parseInfo(line) {
  const [moves, ownership = ''] = line.slice('info'.length).split('ownership')
  return {moves: moves.split(' info ').filter(text => text.trim()).map(parseMove), ownership: ownership.trim().split(' ').map(Number)}
}

class Engine {
  constructor(rules) {
    this.process = spawn(program, ['gtp', '--rules', rules, '--name', 'KataGo'])
    this.lines = []
    this.waiting = null
    readline.createInterface({input: this.process.stdout}).on('line', line => {
      this.lines.push(line)
      this.waiting?.()
    })
  }

  send(command) {
    this.process.stdin.write(command + '\n')
  }

  // The next line that satisfies the condition.
  async next(condition) {
    for (;;) {
      const at = this.lines.findIndex(condition)
      if (at >= 0) return this.lines.splice(0, at + 1)[at]
      await new Promise(resolve => (this.waiting = resolve))
    }
  }

  reply() {
    return this.next(line => /^[=?]/.test(line))
  }

  async ask(command) {
    this.send(command)
    const answer = await this.reply()
    check(answer.startsWith('='), `${command}: ${answer}`)
    return answer.slice(1).trim()
  }

  async analyse(command) {
    this.send(command)
    return parseInfo(await this.next(line => line.startsWith('info')))
  }
}

function checkInfo({moves, ownership}, rules) {
  check(moves.length > 0, 'no moves')
  moves.forEach((move, order) => {
    check(Number(move.order) === order, `order ${move.order} in place ${order}`)
    check(/^\d+$/.test(move.visits), `visits ${move.visits}`)
    for (const key of ['winrate', 'lcb', 'prior', 'scoreMean', 'scoreStdev', 'scoreLead']) {
      check(Number.isFinite(Number(move[key])), `${rules}: ${key} is ${move[key]}`)
    }
    check(move.scoreMean === move.scoreLead, 'two scores')
    check(move.variation[0] === move.move, `${move.move} begins with ${move.variation[0]}`)
    check(move.pvVisits.length === move.variation.length, 'visits of the variation')
  })
  check(ownership.length === SIZE * SIZE && ownership.every(share => Math.abs(share) <= 1), `ownership ${ownership.length}`)
}

async function play(rules) {
  const engine = new Engine(rules)
  check((await engine.ask('name')).startsWith('Kata'), 'its name')
  check((await engine.ask('version')) !== '', 'its version')
  await engine.ask('list_commands')
  await engine.ask('komi 6.5')
  await engine.ask(`boardsize ${SIZE}`)
  // It expects these to be refused.
  for (const command of ['kata-get-param playoutDoublingAdvantage', 'kata-get-param analysisWideRootNoise', 'kata-get-rules']) {
    engine.send(command)
    await engine.reply()
  }
  const tags = ' ownership true pvVisits true movesOwnership true'
  let count = 0
  for (let turn = 0; turn < 12; turn++) {
    const color = turn % 2 === 0 ? 'B' : 'W'
    const info = await engine.analyse(`kata-analyze ${color} 10${tags}`)
    checkInfo(info, rules)
    count++
    const move = info.moves[turn % Math.min(3, info.moves.length)].move
    if (move === 'pass') break
    engine.lines.length = 0
    // A move ends the analysis.
    await engine.ask(`play ${color} ${move}`)
    if (turn % 9 === 4) {
      checkInfo(await engine.analyse(`kata-analyze ${color === 'B' ? 'W' : 'B'} 10 avoid b ${move} 1${tags}`), rules)
      engine.lines.length = 0
      await engine.ask('stop')
      await engine.ask('undo')
      await engine.ask(`play ${color} ${move}`)
    }
  }
  engine.send('quit')
  console.log(`${rules}: ${count} positions analysed in LizzieYzy's manner`)
}

async function main() {
  for (const rules of ['go', 'incursion', 'tile', 'alter-igo', 'conquest', 'nogo']) await play(rules)
}

main().catch(error => {
  console.error(error.stack)
  process.exit(1)
})
