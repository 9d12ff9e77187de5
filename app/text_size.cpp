#include "text_size.h"

#include <QApplication>
#include <QFontInfo>

#include <algorithm>
#include <array>

namespace torchline {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array kPercents{80, 90, 100, 110, 125, 150, 175, 200};
constexpr int kUsual = 100;

size_t stepOf(int percent)
{
    const auto at = std::ranges::lower_bound(kPercents, percent);
    return std::min(static_cast<size_t>(at - kPercents.begin()), kPercents.size() - 1);
}

} // namespace

TextSize::TextSize(Settings& settings, QObject* parent)
    : QObject(parent)
    , m_settings(settings)
    , m_usual(QApplication::font())
{
    const int kept = m_settings.bytes(u"textSize"_s).toInt();
    m_percent = kept == 0 ? kUsual : kPercents[stepOf(kept)];
    apply();
}

TextSize::~TextSize()
{
    if (m_percent != kUsual && qApp != nullptr)
        QApplication::setFont(m_usual);
}

bool TextSize::canChange(int steps) const
{
    const int step = static_cast<int>(stepOf(m_percent)) + steps;
    return step >= 0 && step < static_cast<int>(kPercents.size());
}

void TextSize::change(int steps)
{
    if (canChange(steps))
        set(kPercents[static_cast<size_t>(static_cast<int>(stepOf(m_percent)) + steps)]);
}

void TextSize::reset()
{
    set(kUsual);
}

void TextSize::set(int percent)
{
    if (percent == m_percent)
        return;
    m_percent = percent;
    m_settings.setBytes(u"textSize"_s, QByteArray::number(percent));
    apply();
    Q_EMIT changed();
}

void TextSize::apply() const
{
    if (m_percent == kUsual && QApplication::font() == m_usual)
        return;
    QFont font = m_usual;
    font.setPixelSize((QFontInfo(m_usual).pixelSize() * m_percent + kUsual / 2) / kUsual);
    QApplication::setFont(m_percent == kUsual ? m_usual : font);
}

} // namespace torchline
