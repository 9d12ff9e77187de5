#include "details/slice_args.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>

#include <array>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMostInputs = 64;
constexpr QStringView kTimes = u"\u202F×\u202F";

QString tr(const char* text)
{
    return QCoreApplication::translate("SliceArgs", text);
}

QJsonArray arrayOf(const std::string* text)
{
    if (text == nullptr)
        return {};
    return QJsonDocument::fromJson(QByteArray::fromStdString(*text)).array();
}

/// "16384 × 768"; a list of tensors: "2304, 16384 × 768".
QString dimsText(const QJsonValue& dims)
{
    const QJsonArray array = dims.toArray();
    QStringList parts;
    for (const QJsonValue& each : array)
        parts.append(each.isArray() ? dimsText(each) : QString::number(each.toInteger()));
    const bool isList = !array.isEmpty() && array.first().isArray();
    return isList ? parts.join(u", "_s) : parts.join(kTimes);
}

QString typeText(const QString& type)
{
    static constexpr std::array<std::pair<QStringView, QStringView>, 16> kShort{{
        {u"c10::BFloat16", u"bf16"},
        {u"c10::Half", u"f16"},
        {u"float", u"f32"},
        {u"double", u"f64"},
        {u"long int", u"i64"},
        {u"long", u"i64"},
        {u"int", u"i32"},
        {u"short int", u"i16"},
        {u"signed char", u"i8"},
        {u"unsigned char", u"u8"},
        {u"bool", u"bool"},
        {u"c10::Float8_e4m3fn", u"f8 e4m3"},
        {u"c10::Float8_e5m2", u"f8 e5m2"},
        {u"c10::complex<float>", u"c64"},
        {u"c10::complex<double>", u"c128"},
        {u"c10::complex<c10::Half>", u"c32"},
    }};
    for (const auto& [written, shown] : kShort) {
        if (type == written)
            return shown.toString();
    }
    return displayText(type.toStdString());
}

QString valueText(const QJsonValue& value)
{
    if (value.isString())
        return displayText(value.toString().toStdString());
    if (value.isArray())
        return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
    return value.toVariant().toString();
}

/// One pair an input: its sizes and type; of a scalar its value.
std::vector<DetailPair> inputsOf(const ArgList& args)
{
    const std::string* dimsArg = findArg(args, "Input Dims");
    if (dimsArg == nullptr)
        dimsArg = findArg(args, "Input dims");
    const QJsonArray dims = arrayOf(dimsArg);
    const QJsonArray types = arrayOf(findArg(args, "Input type"));
    const QJsonArray values = arrayOf(findArg(args, "Concrete Inputs"));
    std::vector<DetailPair> inputs;
    const qsizetype count = std::max({dims.size(), types.size(), values.size()});
    for (qsizetype i = 0; i < count && i < kMostInputs; ++i) {
        const QString type = typeText(types.at(i).toString());
        const QString value = valueText(values.at(i));
        QString shape = dims.at(i).isArray() ? dimsText(dims.at(i)) : QString();
        if (shape.isEmpty())
            shape = value.isEmpty() ? QString(QChar(0x2013)) : value;
        else if (!value.isEmpty())
            shape += u" = "_s + value;
        inputs.push_back({QString::number(i), type.isEmpty() ? shape : QString(shape + u"  "_s + type)});
    }
    if (count > kMostInputs)
        inputs.push_back({u"…"_s, tr("and %1 more, see Args").arg(count - kMostInputs)});
    return inputs;
}

enum class ArgForm : uint8_t { Plain, Dims, Bytes, Percent, PerThread, PerBlock, Bandwidth };

struct KnownArg {
    const char* key;
    const char* label;
    ArgForm form = ArgForm::Plain;
};

constexpr auto kLaunch = std::to_array<KnownArg>({
    {"grid", QT_TRANSLATE_NOOP("SliceArgs", "Grid"), ArgForm::Dims},
    {"block", QT_TRANSLATE_NOOP("SliceArgs", "Block"), ArgForm::Dims},
    {"registers per thread", QT_TRANSLATE_NOOP("SliceArgs", "Registers"), ArgForm::PerThread},
    {"shared memory", QT_TRANSLATE_NOOP("SliceArgs", "Shared memory"), ArgForm::PerBlock},
    {"blocks per SM", QT_TRANSLATE_NOOP("SliceArgs", "Blocks per SM")},
    {"warps per SM", QT_TRANSLATE_NOOP("SliceArgs", "Warps per SM")},
    {"est. achieved occupancy %", QT_TRANSLATE_NOOP("SliceArgs", "Est. occupancy"), ArgForm::Percent},
    {"bytes", QT_TRANSLATE_NOOP("SliceArgs", "Bytes"), ArgForm::Bytes},
    {"memory bandwidth (GB/s)", QT_TRANSLATE_NOOP("SliceArgs", "Bandwidth"), ArgForm::Bandwidth},
    {"device", QT_TRANSLATE_NOOP("SliceArgs", "Device")},
    {"stream", QT_TRANSLATE_NOOP("SliceArgs", "Stream")},
});

constexpr auto kCollective = std::to_array<KnownArg>({
    {"Collective name", QT_TRANSLATE_NOOP("SliceArgs", "Collective")},
    {"dtype", QT_TRANSLATE_NOOP("SliceArgs", "Data type")},
    {"In msg nelems", QT_TRANSLATE_NOOP("SliceArgs", "Elements in")},
    {"Out msg nelems", QT_TRANSLATE_NOOP("SliceArgs", "Elements out")},
    {"Group size", QT_TRANSLATE_NOOP("SliceArgs", "Group size")},
    {"Process Group Name", QT_TRANSLATE_NOOP("SliceArgs", "Group")},
    {"Process Group Description", QT_TRANSLATE_NOOP("SliceArgs", "Group is")},
    {"Process Group Ranks", QT_TRANSLATE_NOOP("SliceArgs", "Ranks")},
});

QString formOf(const std::string& written, ArgForm form)
{
    const QString plain = displayText(written);
    bool isNumber = false;
    const qint64 number = plain.toLongLong(&isNumber);
    switch (form) {
    case ArgForm::Dims: {
        const QString dims = dimsText(arrayOf(&written));
        return dims.isEmpty() ? plain : dims;
    }
    case ArgForm::Bytes:
        return isNumber ? QString(formatBytes(number) + u" ("_s + formatCount(number) + u")"_s) : plain;
    case ArgForm::PerBlock:
        return isNumber ? tr("%1 a block").arg(formatBytes(number)) : plain;
    case ArgForm::PerThread:
        return tr("%1 a thread").arg(plain);
    case ArgForm::Percent:
        return plain + QChar(0x00A0) + u'%';
    case ArgForm::Bandwidth:
        return plain + QChar(0x00A0) + u"GB/s"_s;
    case ArgForm::Plain:
        return plain;
    }
    return plain;
}

template <typename Known> void addKnown(std::vector<DetailPair>& out, const ArgList& args, const Known& known)
{
    for (const KnownArg& arg : known) {
        if (const std::string* written = findArg(args, arg.key))
            out.push_back({tr(arg.label), formOf(*written, arg.form)});
    }
}

} // namespace

SliceArgs describeArgs(ArgList args, SliceKind kind)
{
    SliceArgs out;
    if (isDeviceWork(kind)) {
        out.factsTitle = kind == SliceKind::Kernel ? tr("Launch") : kind == SliceKind::Memcpy ? tr("Copy") : tr("Set");
        addKnown(out.facts, args, kLaunch);
        addKnown(out.facts, args, kCollective);
    } else {
        out.factsTitle = tr("Inputs");
        out.facts = inputsOf(args);
        if (findArg(args, "Collective name") != nullptr) {
            if (out.facts.empty())
                out.factsTitle = tr("Collective");
            addKnown(out.facts, args, kCollective);
        }
    }
    if (const std::string* stack = findArg(args, "Call stack")) {
        for (const QString& frame : displayText(*stack).split(u';', Qt::SkipEmptyParts))
            out.callStack.append(frame.trimmed());
    }
    out.all = std::move(args);
    return out;
}

Result<SliceArgs> sliceArgs(const TraceSnapshot& trace, SliceRef slice)
{
    Result<ArgList> args = trace.args(slice);
    if (!args)
        return args.error();
    return describeArgs(std::move(*args), trace.kind(slice));
}

} // namespace torchline
