// A stub of the OGS server, as far as gtp2ogs needs it, on this machine, with a player of random
// moves: whole games with gtp2ogs in between, covering each kind of time control, handicap and a
// resignation. Every move must be legal on Sabaki's board.
//
//   node ogs.js GTP2OGS PROGRAM        (GTP2OGS is gtp2ogs's own dist/gtp2ogs.js)

const {spawn} = require('child_process')
const fs = require('fs')
const os = require('os')
const path = require('path')
const {WebSocketServer} = require('ws')
const GoBoard = require('@sabaki/go-board')

const [gtp2ogs, program] = process.argv.slice(2)
const BOT = 1
const OTHER = 2
const LETTERS = 'abcdefghijklmnopqrs'

// In seconds; so short that the games end soon.
const fischer = {system: 'fischer', initial_time: 2, time_increment: 0.1, max_time: 3}
const byoyomi = {system: 'byoyomi', main_time: 2, period_time: 0.1, periods: 3}
const canadian = {system: 'canadian', main_time: 2, period_time: 0.5, stones_per_period: 5}
const simple = {system: 'simple', per_move: 0.2}
const absolute = {system: 'absolute', total_time: 3}

// Who has Black, the board, the time control, and handicap stones, which are placed by Black or by
// the server.
const GAMES = [
  {black: BOT, size: [9, 9], time: fischer},
  {black: OTHER, size: [9, 9], time: byoyomi},
  {black: BOT, size: [7, 7], time: canadian},
  {black: OTHER, size: [7, 9], time: simple},
  {black: OTHER, size: [9, 9], time: absolute, placed: 3},
  {black: BOT, size: [9, 9], time: fischer, placed: 2},
  {black: OTHER, size: [9, 9], time: byoyomi, initial: 'ccgg'}
]

function check(condition, message) {
  if (!condition) throw new Error(message)
}

class Game {
  constructor(id, {black, size, time, placed = 0, initial = ''}, send) {
    Object.assign(this, {id, black, size, time, placed, initial, send})
    this.board = GoBoard.fromDimensions(...size)
    for (let at = 0; at < initial.length; at += 2) this.board.set(this.point(initial.slice(at, at + 2)), 1)
    this.moves = []
    this.passes = 0
    this.first = initial ? 'white' : 'black'
  }

  point(text) {
    return [...text].map(letter => LETTERS.indexOf(letter))
  }

  // Black places all handicap stones before White's first move.
  get color() {
    if (this.moves.length < this.placed) return 'black'
    const turns = this.moves.length - Math.max(0, this.placed - 1)
    return (turns % 2 === 0) === (this.first === 'black') ? 'black' : 'white'
  }

  get mover() {
    return (this.color === 'black') === (this.black === BOT) ? BOT : OTHER
  }

  clock() {
    const time = {thinking_time: 2, periods: 3, period_time: 0.1, moves_left: 5, block_time: 0.5}
    const [black, white] = this.black === BOT ? [BOT, OTHER] : [OTHER, BOT]
    return {current_player: this.mover, black_player_id: black, white_player_id: white, last_move: Date.now(),
      black_time: time, white_time: time}
  }

  data(phase = 'play') {
    const player = id => ({id, username: id === BOT ? 'bot' : 'other'})
    const [black, white] = this.black === BOT ? [BOT, OTHER] : [OTHER, BOT]
    return {game_id: this.id, phase, width: this.size[0], height: this.size[1], komi: 6.5, handicap: this.placed,
      free_handicap_placement: this.placed > 0, initial_player: this.first, moves: this.moves.map(move => [...move, 0]),
      initial_state: {black: this.initial, white: ''}, players: {black: player(black), white: player(white)},
      clock: this.clock(), time_control: {speed: 'live', ...this.time}, outcome: '5 points', winner: BOT}
  }

  // Plays one move by either player; returns true once the game is over.
  play([x, y]) {
    const sign = this.color === 'black' ? 1 : -1
    const isPass = x < 0
    if (!isPass) {
      const options = {preventSuicide: true, preventOverwrite: true, preventKo: true}
      this.board = this.board.makeMove(sign, [x, y], options)
    }
    this.passes = isPass ? this.passes + 1 : 0
    this.moves.push(isPass ? [-1, -1] : [x, y])
    this.send(`game/${this.id}/move`, {game_id: this.id, move_number: this.moves.length, move: [...this.moves.at(-1), 0]})
    this.send(`game/${this.id}/clock`, this.clock())
    return this.passes === 2 || this.moves.length > 150
  }

  // A random move that is legal and fills no eye, or a pass.
  reply() {
    const sign = this.color === 'black' ? 1 : -1
    const points = []
    this.board.signMap.forEach((row, y) => row.forEach((at, x) => {
      const {suicide, ko} = this.board.analyzeMove(sign, [x, y])
      const isEye = this.board.getNeighbors([x, y]).every(next => this.board.get(next) === sign)
      if (at === 0 && !suicide && !ko && !isEye) points.push([x, y])
    }))
    return points.length > 0 && this.passes === 0 ? points[Math.floor(Math.random() * points.length)] : [-1, -1]
  }
}

// Plays all games in turn and returns how each one ended.
function serve(games, command) {
  return new Promise((resolve, reject) => {
    const server = new WebSocketServer({port: 0, host: '127.0.0.1'})
    const config = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'gtp2ogs-')), 'config.json5')
    const ends = []
    let game, child
    const finish = error => {
      child.kill()
      server.close()
      error ? reject(error) : resolve(ends)
    }
    server.on('listening', () => {
      const url = `http://127.0.0.1:${server.address().port}`
      fs.writeFileSync(config, JSON.stringify({apikey: 'none', server: url, min_move_time: 0, bot: {command}}))
      child = spawn('node', [gtp2ogs, '--config', config, '-v'])
      let output = ''
      child.stdout.on('data', data => (output += data))
      child.stderr.on('data', data => (output += data))
      child.on('exit', code => code && finish(new Error(`gtp2ogs ended with ${code}:\n${output.slice(-3000)}`)))
      server.output = () => output
    })
    server.on('connection', socket => {
      const send = (command, data) => socket.send(JSON.stringify([command, data]))
      const next = () => {
        if (ends.length === games.length) return finish()
        game = new Game(100 + ends.length, games[ends.length], send)
        send('active_game', {id: game.id, phase: 'play'})
      }
      const end = how => {
        ends.push(`${how} after ${game.moves.length} moves`)
        send(`game/${game.id}/gamedata`, {...game.data('finished'), outcome: how})
        // Failures of the engine that gtp2ogs has seen.
        const failed = server.output().split('\n').filter(line => /failed|Unexpected output|does not support|\? /.test(line))
        check(failed.length === 0, failed.join('\n'))
        next()
      }
      const answers = {
        'net/ping': data => send('net/pong', {client: data.client, server: Date.now()}),
        'authenticate': (_, id) => {
          socket.send(JSON.stringify([id, {id: BOT, username: 'bot'}]))
          setTimeout(next, 100)
        },
        'game/connect': ({game_id}) => {
          if (game_id !== game.id) return
          send(`game/${game.id}/gamedata`, game.data())
          respond()
        },
        'game/move': ({game_id, move}) => {
          if (game_id !== game.id) return
          check(game.mover === BOT, `${move} out of turn`)
          if (game.play(move === '..' ? [-1, -1] : game.point(move))) return end('passes')
          respond()
        },
        'game/resign': () => end('resignation')
      }
      const respond = () => {
        while (game.mover === OTHER) if (game.play(game.reply())) return end('passes')
      }
      socket.on('message', text => {
        const [command, data, id] = JSON.parse(text)
        try {
          answers[command]?.(data, id)
        } catch (error) {
          finish(error)
        }
      })
    })
  })
}

async function main() {
  const engine = (...extra) => [program, 'gtp', '--rules', 'go,suicide=false', '--clock', ...extra]
  const ends = await serve(GAMES, engine())
  GAMES.forEach((game, index) => console.log(`gtp2ogs: ${game.size.join('×')}, ${game.time.system}: ${ends[index]}`))
  const [end] = await serve([{black: OTHER, size: [9, 9], time: fischer}], engine('--resign', '1'))
  check(end.startsWith('resignation'), `no resignation: ${end}`)
  console.log(`gtp2ogs: ${end}`)
}

main().catch(error => {
  console.error(error.stack)
  process.exit(1)
})
