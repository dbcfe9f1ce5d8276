import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Parses each file as a whole one, as members of a class, or as statements, and says which ones are none of these. */
class Parse {
  public static void main(String[] files) throws IOException {
    int wrong = 0;
    for (var file : files) {
      var code = Files.readString(Path.of(file));
      var mistakes = List.of(mistakes(code), mistakes("class C {" + code + "}"), mistakes("class C { void m() {" + code + "} }"));
      if (mistakes.stream().noneMatch(List::isEmpty)) {
        System.err.println(file + ": " + mistakes.get(0));
        wrong++;
      }
    }
    System.exit(wrong);
  }

  static List<String> mistakes(String code) throws IOException {
    var found = new DiagnosticCollector<JavaFileObject>();
    var source = new SimpleJavaFileObject(URI.create("string:///C.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignoreEncodingErrors) {
        return code;
      }
    };
    var compiler = ToolProvider.getSystemJavaCompiler();
    ((JavacTask) compiler.getTask(null, null, found, null, null, List.of(source))).parse();
    return found.getDiagnostics().stream().filter(d -> d.getKind() == Diagnostic.Kind.ERROR).map(d -> d.getMessage(null)).toList();
  }
}
