#include "analysis/flops.h"
#include "analysis/stack_text.h"

#include <QTest>

#include <limits>

using namespace torchline;

Q_DECLARE_METATYPE(std::optional<int64_t>)

class TestFlops : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void formulas_data();
    void formulas();
    void equalCallsAreCountedAlike();
    void framesOfTheProfilerAreLeftOut();
};

void TestFlops::formulas_data()
{
    QTest::addColumn<QByteArray>("op");
    QTest::addColumn<QByteArray>("dims");
    QTest::addColumn<QByteArray>("more"); // Input type of mul and add, Concrete Inputs of conv2d
    QTest::addColumn<std::optional<int64_t>>("flops");
    const auto row
        = [](const char* title, const char* op, const char* dims, const char* more, std::optional<int64_t> flops) {
              QTest::newRow(title) << QByteArray(op) << QByteArray(dims) << QByteArray(more) << flops;
          };
    const char* conv = "[[8,3,16,16],[32,3,3,3],[32],[],[],[],[]]";
    const int64_t most = std::numeric_limits<int64_t>::max();
    row("mm", "aten::mm", "[[4,8],[8,16]]", "", 2 * 4 * 8 * 16);
    row("mm, empty", "aten::mm", "[[0,8],[8,16]]", "", 0);
    row("mm, no inner", "aten::mm", "[[4,0],[0,16]]", "", 0);
    row("mm, no tensors", "aten::mm", "[[],[]]", "", 0);
    row("mm, one input", "aten::mm", "[[4,8]]", "", 0);
    row("addmm", "aten::addmm", "[[16],[4,8],[8,16],[],[]]", "", 2 * 4 * 8 * 16);
    row("bmm", "aten::bmm", "[[5,4,8],[5,8,16]]", "", 2 * 5 * 4 * 8 * 16);
    row("baddbmm", "aten::baddbmm", "[[5,4,16],[5,4,8],[5,8,16],[],[]]", "", 2 * 5 * 4 * 8 * 16);
    row("mul", "aten::mul", "[[4,8],[8]]", R"(["float","float"])", 32);
    row("add to nothing", "aten::add", "[[],[]]", R"(["float","float"])", 1);
    row("add of numbers", "aten::add", "[[],[],[]]", R"(["Scalar","Scalar",""])", 0);
    row("mul of lists", "aten::mul", "[[[2,2],[3]],[]]", R"(["TensorList",""])", 0);
    row("conv2d", "aten::conv2d", conv, R"(["","","","[1, 1]","[1, 1]","[1, 1]","1"])",
        int64_t{2} * 8 * 16 * 16 * 3 * 3 * 3 * 32);
    row("conv2d, stride and dilation", "aten::conv2d", conv, R"(["","","","[2, 1]","[0, 2]","[1, 2]","1"])",
        int64_t{2} * 8 * 7 * 16 * 3 * 3 * 3 * 32);
    row("conv2d, groups", "aten::conv2d", "[[1,4,5,5],[8,2,1,1],[],[],[],[],[]]",
        R"(["","","","[1, 1]","[0, 0]","[1, 1]","2"])", int64_t{2} * 5 * 5 * 4 * 8 / 2);
    row("conv2d, one number for both", "aten::conv2d", conv, R"(["","","","[1]","[1]","[1]","1"])",
        int64_t{2} * 8 * 16 * 16 * 3 * 3 * 3 * 32);
    row("conv2d, padding in words", "aten::conv2d", conv, R"(["","","","[1, 1]","same","[1, 1]","1"])", 0);
    row("conv2d, kernel too large", "aten::conv2d", conv, R"(["","","","[1, 1]","[0, 0]","[99, 99]","1"])", 0);
    row("conv2d, zeros", "aten::conv2d", conv, R"(["","","","[0, 0]","[1, 1]","[1, 1]","0"])", 0);
    row("conv2d without arguments", "aten::conv2d", conv, "", std::nullopt);
    row("others", "aten::relu", "[[4,8]]", "", 0);
    row("no json", "aten::mm", "[[4,8],[8", "", 0);
    row("no sizes", "aten::mm", R"([[4,"x"],[8,16]])", "", 0);
    row("negative", "aten::mm", "[[4,-8],[-8,16]]", "", 0);
    row("too large", "aten::mm", "[[9000000000,9000000000],[9000000000,9000000000]]", "", most);
    row("huge convolution", "aten::conv2d", "[[9000000000,9000000000,9000000000,9000000000],[9000000000,9,1,1]]",
        R"(["","","","[1, 1]","[9000000000000000000, 0]","[1, 1]","1"])", most);
}

void TestFlops::formulas()
{
    QFETCH(QByteArray, op);
    QFETCH(QByteArray, dims);
    QFETCH(QByteArray, more);
    QFETCH(std::optional<int64_t>, flops);
    ArgList args{{"Input Dims", dims.toStdString()}};
    if (!more.isEmpty())
        args.emplace_back(op == "aten::conv2d" ? "Concrete Inputs" : "Input type", more.toStdString());
    FlopCounter counter;
    QCOMPARE(counter.count(flopFormulaOf(op.toStdString()), args), flops);
    args.front().first = "Input dims";
    QCOMPARE(counter.count(flopFormulaOf(op.toStdString()), args), flops);
    QCOMPARE(counter.count(flopFormulaOf(op.toStdString()), {{"External id", "1"}}), std::optional<int64_t>());
}

void TestFlops::equalCallsAreCountedAlike()
{
    FlopCounter counter;
    const ArgList square{{"Input Dims", "[[4,4],[4,4]]"}};
    QCOMPARE(counter.count(FlopFormula::MatrixProduct, square), 128);
    QCOMPARE(counter.count(FlopFormula::Elementwise, square), 16);
    QCOMPARE(counter.count(FlopFormula::MatrixProduct, square), 128);
    const ArgList number{{"Input Dims", "[[]]"}, {"Input type", R"(["Scalar"])"}};
    const ArgList tensor{{"Input Dims", "[[]]"}, {"Input type", R"(["float"])"}};
    QCOMPARE(counter.count(FlopFormula::Elementwise, number), 0);
    QCOMPARE(counter.count(FlopFormula::Elementwise, tensor), 1);
}

void TestFlops::framesOfTheProfilerAreLeftOut()
{
    QVERIFY(!isShownFrame("torch/autograd/__init__.py(253): backward"));
    QVERIFY(!isShownFrame("torch/autograd/__init__.py(90): _make_grads"));
    QVERIFY(!isShownFrame("torch/tensor.py(245): backward"));
    QVERIFY(isShownFrame("torch/_tensor.py(576): backward"));
    QVERIFY(isShownFrame("torch/autograd/graph.py(860): _engine_run_backward"));
    QCOMPARE(stackText("", 5), std::string());
    QCOMPARE(stackText("a;;b", 5), std::string("a;b"));
    QCOMPARE(stackText("a;b;c;", 2), std::string("a;b"));
}

QTEST_GUILESS_MAIN(TestFlops)
#include "tst_flops.moc"
