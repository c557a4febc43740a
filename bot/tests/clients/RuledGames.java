// Whole games on the board that GoGui keeps when a program decides the rules (its "game ruler"): GoGui's own client,
// game tree and board, used in the order in which its window uses them. A person and a second program take turns at
// random, and moves are taken back. After each step GoGui's board must be the one in the program's `hotstone-state`.
//
//   java -ea -cp GOGUI_CLASSES RuledGames.java STAND_IN [GAMES]

import java.io.File;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.sf.gogui.game.ConstNode;
import net.sf.gogui.game.Game;
import net.sf.gogui.game.NodeUtil;
import net.sf.gogui.go.Board;
import net.sf.gogui.go.GenericBoard;
import net.sf.gogui.go.GoColor;
import net.sf.gogui.go.GoPoint;
import net.sf.gogui.go.Komi;
import net.sf.gogui.go.Move;
import net.sf.gogui.gtp.BoardParameters;
import net.sf.gogui.gtp.GtpClient;
import net.sf.gogui.gtp.GtpError;
import net.sf.gogui.gtp.GtpResponseFormatError;
import net.sf.gogui.gtp.GtpSynchronizer;
import net.sf.gogui.gtp.GtpUtil;

public final class RuledGames {
    private static final String[] VARIANTS = {
        "go", "incursion", "minimal-incursion", "stoical", "tile", "cushion", "hot-stone", "alter-igo", "conquest",
        "pure-conquest"
    };
    private static final Pattern STONES = Pattern.compile("\"stones\":\\[([^]]*)\\]");
    private static final Pattern TO_MOVE = Pattern.compile("\"to_move\":\"([BW])\"");
    private static final Pattern PRISONERS = Pattern.compile("\"prisoners\":\\{\"B\":(\\d+),\"W\":(\\d+)\\}");

    /** What has been seen of one variant. */
    private static final class Counts {
        int turns;
        int undone;
        int points;
        int differing;
    }

    private final Random random;
    private final GtpClient ruler;
    private final GtpClient program;
    private final GtpSynchronizer synchronizer;
    private final Game game;
    private final Komi komi;
    private final Counts counts;

    private RuledGames(String command, int seed, Counts counts) throws GtpError {
        random = new Random(seed);
        this.counts = counts;
        ruler = client(command);
        program = client(command);
        synchronizer = new GtpSynchronizer(program);
        // GoGui tells the other program alone what the komi is; where komi is prisoners, it has to be the ruler's.
        komi = new Komi(Double.parseDouble(ruler.send("get_komi")));
        BoardParameters parameters = GenericBoard.getBoardParameters(ruler);
        game = new Game(parameters, komi, null, null, null);
        board().attachGameRuler(ruler);
        board().clear();
        synchronizer.init(board(), komi, null);
    }

    private static GtpClient client(String command) throws GtpError {
        GtpClient client = new GtpClient(command, new File("."), false, null);
        client.queryProtocolVersion();
        client.querySupportedCommands();
        client.queryInterruptSupport();
        return client;
    }

    private static void check(boolean condition, String message) {
        if (!condition)
            throw new IllegalStateException(message);
    }

    private static Matcher field(Pattern pattern, String state) {
        Matcher matcher = pattern.matcher(state);
        check(matcher.find(), "no " + pattern + " in " + state);
        return matcher;
    }

    private Board board() {
        return (Board) game.getBoard();
    }

    /** Counts the points on which GoGui's board is not the program's, and compares turn and prisoners. */
    private void compare(GtpClient engine) throws GtpError {
        String state = engine.send("hotstone-state");
        String[] rows = field(STONES, state).group(1).replace("\"", "").split(",");
        int size = board().getSize();
        check(rows.length == size, "GoGui's board has " + size + " rows: " + state);
        for (int x = 0; x < size; x++)
            for (int y = 0; y < size; y++) {
                GoColor color = board().getColor(GoPoint.get(x, y));
                char shown = color == GoColor.BLACK ? 'X' : color == GoColor.WHITE ? 'O' : '.';
                counts.points++;
                if (color == GoColor.REMOVED || shown != rows[size - 1 - y].charAt(x))
                    counts.differing++;
            }
        char turn = field(TO_MOVE, state).group(1).charAt(0);
        check(board().getToMove() == (turn == 'B' ? GoColor.BLACK : GoColor.WHITE), "whose turn it is: " + state);
        Matcher prisoners = field(PRISONERS, state);
        check(board().getCaptured(GoColor.WHITE) == Integer.parseInt(prisoners.group(1)), "Black's prisoners: " + state);
        check(board().getCaptured(GoColor.BLACK) == Integer.parseInt(prisoners.group(2)), "White's prisoners: " + state);
    }

    private void record(Move move) {
        game.play(move);
        GenericBoard.sendPlay(ruler, board(), move);
        game.setToMove(board().getToMove());
        counts.turns++;
    }

    private void generate() throws GtpError, GtpResponseFormatError {
        GoColor color = board().getToMove();
        String answer = program.send(program.getCommandGenmove(color));
        Move move = Move.get(color, GtpUtil.parsePoint(answer, board().getSize()));
        check(GenericBoard.isLegalMove(ruler, move), move + " is not legal");
        record(move);
        synchronizer.updateAfterGenmove(board());
    }

    private void person() throws GtpError, GtpResponseFormatError {
        String[] legal = GenericBoard.getLegalMoves(ruler).split(" ");
        String vertex = legal[random.nextInt(legal.length)];
        Move move = Move.get(board().getToMove(), GtpUtil.parsePoint(vertex, board().getSize()));
        check(GenericBoard.isLegalMove(ruler, move), move + " is not legal");
        synchronizer.updateHumanMove(board(), move);
        record(move);
    }

    private void undo() throws GtpError {
        ConstNode node = game.getCurrentNode();
        for (int depth = 1 + random.nextInt(6); depth > 0 && node.hasFather(); depth--) {
            node = node.getFatherConst();
            counts.undone++;
        }
        game.gotoNode(node, ruler);
        synchronizer.synchronize(board(), komi, null);
    }

    private void play() throws GtpError, GtpResponseFormatError {
        for (int step = 0; !GenericBoard.isGameOver(ruler); step++) {
            check(step < 600, "the game does not end");
            if (random.nextInt(14) == 0)
                undo();
            else if (random.nextBoolean())
                generate();
            else
                person();
            compare(ruler);
            compare(program);
        }
        check(!ruler.send("gogui-rules_final_result").isBlank(), "no result");
        // A program that is asked for more passes, as a game without a ruler ends.
        for (int turn = 0; turn < 2; turn++) {
            GoColor color = board().getToMove();
            String answer = program.send(program.getCommandGenmove(color));
            check(GtpUtil.parsePoint(answer, board().getSize()) == null, "after the end: " + answer);
        }
        check(NodeUtil.getMoveNumber(game.getCurrentNode()) > 0, "no move");
    }

    private void close() {
        for (GtpClient client : new GtpClient[] {ruler, program}) {
            try {
                client.send("quit");
            } catch (GtpError error) {
                System.err.println(error.getMessage());
            }
            client.close();
            client.waitForExit();
        }
    }

    public static void main(String[] words) throws GtpError {
        int games = words.length > 1 ? Integer.parseInt(words[1]) : 50;
        boolean isEqual = true;
        for (String variant : VARIANTS) {
            Counts counts = new Counts();
            for (int index = 0; index < games; index++) {
                String command = '"' + words[0] + "\" gtp " + variant + ' ' + (4 + index % 3) + " 8";
                RuledGames played = new RuledGames(command, index, counts);
                try {
                    played.play();
                } catch (GtpError | GtpResponseFormatError | IllegalStateException problem) {
                    System.err.println(variant + ", game " + index + ": " + problem.getMessage());
                    System.exit(1);
                }
                played.close();
            }
            System.out.printf("%s: %d games on GoGui's board, %d turns, %d undone, %d of %d points differ%n",
                variant, games, counts.turns, counts.undone, counts.differing, counts.points);
            isEqual &= counts.differing == 0;
        }
        System.exit(isEqual ? 0 : 1);
    }
}
