#include "record/launch_setup.h"

#include "settings.h"

#include "capture/spool.h"
#include "common/format.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <cmath>
#include <utility>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t kMostLaunches = 10;
constexpr double kOperatorNs = 200; ///< cost of one that is recorded
constexpr double kOperatorWithShapesNs = 400;
constexpr double kStackNs = 200; ///< more
constexpr double kBytesPerGib = 1024.0 * 1024 * 1024;

QString quoted(const QString& word)
{
    const auto needsQuotes = [](QChar c) { return c.isSpace() || c == u'"'; };
    if (!word.isEmpty() && std::ranges::none_of(word, needsQuotes))
        return word;
    return u'"' + QString(word).replace(u'\\', u"\\\\"_s).replace(u'"', u"\\\""_s) + u'"';
}

} // namespace

QStringList splitWords(const QString& text)
{
    QStringList words;
    QString word;
    bool isQuoted = false;
    bool isWord = false;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text.at(i);
        const QChar following = i + 1 < text.size() ? text.at(i + 1) : QChar();
        if (c == u'"') {
            isQuoted = !isQuoted;
            isWord = true;
        } else if (isQuoted && c == u'\\' && (following == u'"' || following == u'\\')) {
            word += following;
            ++i;
        } else if (c.isSpace() && !isQuoted) {
            if (std::exchange(isWord, false))
                words.append(std::exchange(word, QString()));
        } else {
            word += c;
            isWord = true;
        }
    }
    if (isWord)
        words.append(word);
    return words;
}

QString LaunchSetup::commandText() const
{
    return arguments.isEmpty() ? program : program + u' ' + arguments;
}

capture::SessionOptions LaunchSetup::options() const
{
    capture::SessionOptions all;
    all.program.program = QFile::encodeName(program).toStdString();
    for (const QString& word : splitWords(arguments))
        all.program.arguments.push_back(QFile::encodeName(word).toStdString());
    all.program.folder = QFile::encodeName(folder).toStdString();
    for (const QString& entry : splitWords(environment)) {
        const qsizetype equals = entry.indexOf(u'=');
        if (equals > 0)
            all.program.environment.emplace_back(
                entry.left(equals).toStdString(), QFile::encodeName(entry.mid(equals + 1)).toStdString());
    }
    // What the output pane understands.
    all.program.environment.emplace_back("TERM", "dumb");
    all.record.shapes = shapes;
    all.record.memory = memory;
    all.record.stackFrames = stacks ? capture::kDefaultStackFrames : 0;
    all.record.children = children;
    if (!userScopes)
        all.record.scopes &= ~uint32_t{capture::ScopeUser};
    if (!backward)
        all.record.scopes &= ~uint32_t{capture::ScopeBackward};
    all.forNs = int64_t{forSeconds} * 1'000'000'000;
    switch (when) {
    case When::AtOnce:
        break;
    case When::After:
        all.begin = capture::BeginWhen::AfterTime;
        all.afterNs = int64_t{afterSeconds} * 1'000'000'000;
        break;
    case When::ByHand:
        all.begin = capture::BeginWhen::ByHand;
        break;
    case When::Schedule:
        all.record.schedule = {static_cast<uint64_t>(skipFirst), static_cast<uint64_t>(wait),
            static_cast<uint64_t>(warmup), static_cast<uint64_t>(active), static_cast<uint64_t>(repeat)};
        all.record.step = step.toStdString();
        break;
    }
    all.spoolFolder = defaultSpoolFolder();
    all.spoolLimitBytes = static_cast<uint64_t>(spoolGib * kBytesPerGib);
    all.label = QFileInfo(program).fileName().toStdString();
    all.wantsSnapshots = true;
    all.supervisor = helperPath(u"torchline-supervise"_s);
    return all;
}

LaunchSetup LaunchSetup::ofCommand(const std::vector<std::string>& words)
{
    LaunchSetup setup;
    setup.program = QFile::decodeName(QByteArray::fromStdString(words.front()));
    QStringList rest;
    for (size_t i = 1; i < words.size(); ++i)
        rest.append(quoted(QFile::decodeName(QByteArray::fromStdString(words[i]))));
    setup.arguments = rest.join(u' ');
    setup.folder = QDir::currentPath();
    return setup;
}

QJsonObject LaunchSetup::toJson() const
{
    return {{u"program"_s, program}, {u"arguments"_s, arguments}, {u"folder"_s, folder},
        {u"environment"_s, environment}, {u"shapes"_s, shapes}, {u"memory"_s, memory}, {u"stacks"_s, stacks},
        {u"userScopes"_s, userScopes}, {u"backward"_s, backward}, {u"children"_s, children},
        {u"when"_s, static_cast<int>(when)}, {u"after"_s, afterSeconds}, {u"for"_s, forSeconds},
        {u"skipFirst"_s, skipFirst}, {u"wait"_s, wait}, {u"warmup"_s, warmup}, {u"active"_s, active},
        {u"repeat"_s, repeat}, {u"step"_s, step}, {u"spoolGib"_s, spoolGib},
        {u"operatorsPerSecond"_s, operatorsPerSecond}};
}

LaunchSetup LaunchSetup::fromJson(const QJsonObject& object)
{
    LaunchSetup setup;
    const auto count = [&object](QStringView key, int otherwise) {
        return std::clamp(object.value(key).toInt(otherwise), 0, 1'000'000'000);
    };
    setup.program = object.value(u"program").toString();
    setup.arguments = object.value(u"arguments").toString();
    setup.folder = object.value(u"folder").toString();
    setup.environment = object.value(u"environment").toString();
    setup.shapes = object.value(u"shapes").toBool(setup.shapes);
    setup.memory = object.value(u"memory").toBool(setup.memory);
    setup.stacks = object.value(u"stacks").toBool(setup.stacks);
    setup.userScopes = object.value(u"userScopes").toBool(setup.userScopes);
    setup.backward = object.value(u"backward").toBool(setup.backward);
    setup.children = object.value(u"children").toBool(setup.children);
    setup.when = static_cast<When>(std::min(count(u"when", 0), static_cast<int>(When::Schedule)));
    setup.afterSeconds = count(u"after", setup.afterSeconds);
    setup.forSeconds = count(u"for", setup.forSeconds);
    setup.skipFirst = count(u"skipFirst", setup.skipFirst);
    setup.wait = count(u"wait", setup.wait);
    setup.warmup = count(u"warmup", setup.warmup);
    setup.active = std::max(1, count(u"active", setup.active));
    setup.repeat = count(u"repeat", setup.repeat);
    setup.step = object.value(u"step").toString();
    setup.spoolGib = std::clamp(object.value(u"spoolGib").toDouble(setup.spoolGib), 0.1, 10'000.0);
    setup.operatorsPerSecond = std::max<qint64>(0, object.value(u"operatorsPerSecond").toInteger(0));
    return setup;
}

std::vector<LaunchSetup> recentLaunches(const Settings& settings)
{
    std::vector<LaunchSetup> launches;
    for (const QJsonValue& entry : QJsonDocument::fromJson(settings.bytes(u"record/launches"_s)).array()) {
        LaunchSetup setup = LaunchSetup::fromJson(entry.toObject());
        if (!setup.program.isEmpty() && launches.size() < kMostLaunches)
            launches.push_back(std::move(setup));
    }
    return launches;
}

void rememberLaunch(Settings& settings, const LaunchSetup& setup)
{
    QJsonArray all{setup.toJson()};
    for (const LaunchSetup& each : recentLaunches(settings)) {
        const bool isSame
            = each.program == setup.program && each.arguments == setup.arguments && each.folder == setup.folder;
        if (!isSame && all.size() < static_cast<qsizetype>(kMostLaunches))
            all.append(each.toJson());
    }
    settings.setBytes(u"record/launches"_s, QJsonDocument(all).toJson(QJsonDocument::Compact));
}

std::string helperPath(const QString& name)
{
    const QString folder = QCoreApplication::applicationDirPath();
    for (const QString& place : {u"/"_s, u"/../" TORCHLINE_LIBDIR "/torchline/"_s, u"/../lib/torchline/"_s}) {
        const QFileInfo file(folder + place + name);
        if (file.isExecutable())
            return QFile::encodeName(file.canonicalFilePath()).toStdString();
    }
    return {};
}

std::optional<LaunchSetup> demoLaunch()
{
    const std::string path = helperPath(u"torchline-demo"_s);
    if (path.empty())
        return std::nullopt;
    LaunchSetup setup;
    setup.program = QFile::decodeName(QByteArray::fromStdString(path));
    return setup;
}

QString costText(const LaunchSetup& setup)
{
    const double each = (setup.shapes ? kOperatorWithShapesNs : kOperatorNs) + (setup.stacks ? kStackNs : 0);
    const QString perOperator = QCoreApplication::translate("Record", "about %1 µs an operator").arg(each / 1000);
    if (setup.operatorsPerSecond <= 0)
        return perOperator;
    const double percent = static_cast<double>(setup.operatorsPerSecond) * each / 1e7;
    return QCoreApplication::translate("Record", "about %1 % of its time (%2, %3 a second when it ran last)")
        .arg(percent < 10 ? QString::number(percent, 'f', 1) : QString::number(std::lround(percent)))
        .arg(perOperator)
        .arg(formatCount(setup.operatorsPerSecond));
}

} // namespace torchline
